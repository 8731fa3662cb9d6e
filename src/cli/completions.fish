# What follows `--` is a command line of its own.
function __fish_skills_after_dashes
    contains -- -- (commandline -opc)
end

function __fish_skills_command
    set -l words (commandline -opc)
    set -l dashes (contains -i -- -- $words)
    set -e words[1..$dashes]
    complete -C "$(string join ' ' -- (string escape -- $words) (commandline -ct))"
end

# The names of installed skills.
function __fish_skills_installed
    set -l words (commandline -opc)
    command $words[1] list --discover --format names 2>/dev/null
end

complete -c skills -n "__fish_skills_after_dashes" -f -a "(__fish_skills_command)"
complete -c skills -n "__fish_skills_using_subcommand NAMING_COMMANDS" -f -a "(__fish_skills_installed)"
