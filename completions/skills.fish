# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_skills_global_optspecs
    string join \n q/quiet v/verbose color= no-progress C/directory= h/help V/version
end

function __fish_skills_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_skills_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_skills_using_subcommand
    set -l cmd (__fish_skills_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c skills -n "__fish_skills_needs_command" -l color -d 'Choose when to use colour' -r -f -a "auto\t'On terminals, unless NO_COLOR is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c skills -n "__fish_skills_needs_command" -s C -l directory -d 'Run as if started in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_needs_command" -s q -l quiet -d 'Print results and errors only'
complete -c skills -n "__fish_skills_needs_command" -s v -l verbose -d 'Print notes too; repeat to print logs'
complete -c skills -n "__fish_skills_needs_command" -l no-progress -d 'Never show a progress bar'
complete -c skills -n "__fish_skills_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skills -n "__fish_skills_needs_command" -s V -l version -d 'Print version'
complete -c skills -n "__fish_skills_needs_command" -f -a "validate" -d 'Check skills against the specification and the behaviour of real agents'
complete -c skills -n "__fish_skills_needs_command" -f -a "list" -d 'List skills, and show which ones agents load and why others are missing'
complete -c skills -n "__fish_skills_needs_command" -f -a "render" -d 'Print the catalogue of skills that a model sees'
complete -c skills -n "__fish_skills_needs_command" -f -a "read" -d 'Print one file of a skill'
complete -c skills -n "__fish_skills_needs_command" -f -a "install" -d 'Copy skills into the directories where agents look for them'
complete -c skills -n "__fish_skills_needs_command" -f -a "remove" -d 'Remove installed skills'
complete -c skills -n "__fish_skills_needs_command" -f -a "verify" -d 'Find installed skills that changed since they were installed'
complete -c skills -n "__fish_skills_needs_command" -f -a "mount" -d 'Create a temporary home with only these skills, and run an agent in it'
complete -c skills -n "__fish_skills_needs_command" -f -a "unmount" -d 'Remove homes created by `skills mount`'
complete -c skills -n "__fish_skills_needs_command" -f -a "pack" -d 'Pack each skill into a reproducible .skill archive'
complete -c skills -n "__fish_skills_needs_command" -f -a "lock" -d 'Pin the sources of a manifest to commits and digests'
complete -c skills -n "__fish_skills_needs_command" -f -a "outdated" -d 'Show what `skills lock --upgrade` would change'
complete -c skills -n "__fish_skills_needs_command" -f -a "init" -d 'Create a skill that passes validation'
complete -c skills -n "__fish_skills_needs_command" -f -a "explain" -d 'Explain what a rule checks, why, and how to satisfy it'
complete -c skills -n "__fish_skills_needs_command" -f -a "rules" -d 'List all rules'
complete -c skills -n "__fish_skills_needs_command" -f -a "schema" -d 'Print the JSON Schema of skills.yaml'
complete -c skills -n "__fish_skills_needs_command" -f -a "completions" -d 'Print a shell completion script'
complete -c skills -n "__fish_skills_needs_command" -f -a "man" -d 'Print the manual page, or write one page per command'
complete -c skills -n "__fish_skills_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skills -n "__fish_skills_using_subcommand validate" -l manifest -d 'Read sources, filters and rules from FILE [default: skills.yaml, without SOURCES]' -r -F
complete -c skills -n "__fish_skills_using_subcommand validate" -l allow -d 'Select only skills whose names match (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand validate" -l deny -d 'Leave out skills whose names match; overrides --allow (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand validate" -l only -d 'Select the skill with exactly this name (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand validate" -l exclude -d 'Skip directories whose paths below the source match (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand validate" -l max-depth -d 'Search at most N levels below a source' -r -f
complete -c skills -n "__fish_skills_using_subcommand validate" -l param -d 'Set a manifest parameter (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand validate" -l expand -d 'Expand a section of the manifest or a skill in the prompt (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand validate" -l format -d 'Output format' -r -f -a "human\t'Text'
json\t'JSON document, version 1'
sarif\t'SARIF 2.1.0, for code scanning'
github\t'GitHub workflow annotations'
junit\t'JUnit XML'"
complete -c skills -n "__fish_skills_using_subcommand validate" -s o -l output -d 'Write the chosen format to FILE (not -), and text to the terminal' -r -F
complete -c skills -n "__fish_skills_using_subcommand validate" -l agent -d 'Also report what this agent does with each skill (repeatable)' -r -f -a "claude\t''
codex\t''
opencode\t''
copilot\t''
gemini\t''
pi\t''"
complete -c skills -n "__fish_skills_using_subcommand validate" -l rule -d 'Set the level of a rule: off, note, warning or error (repeatable)' -r -f -a "missing-skill-md=off\t''
missing-skill-md=note\t''
missing-skill-md=warning\t''
missing-skill-md=error\t''
skill-md-case=off\t''
skill-md-case=note\t''
skill-md-case=warning\t''
skill-md-case=error\t''
not-utf8=off\t''
not-utf8=note\t''
not-utf8=warning\t''
not-utf8=error\t''
control-character=off\t''
control-character=note\t''
control-character=warning\t''
control-character=error\t''
byte-order-mark=off\t''
byte-order-mark=note\t''
byte-order-mark=warning\t''
byte-order-mark=error\t''
file-too-large=off\t''
file-too-large=note\t''
file-too-large=warning\t''
file-too-large=error\t''
skill-too-large=off\t''
skill-too-large=note\t''
skill-too-large=warning\t''
skill-too-large=error\t''
missing-frontmatter=off\t''
missing-frontmatter=note\t''
missing-frontmatter=warning\t''
missing-frontmatter=error\t''
unclosed-frontmatter=off\t''
unclosed-frontmatter=note\t''
unclosed-frontmatter=warning\t''
unclosed-frontmatter=error\t''
invalid-yaml=off\t''
invalid-yaml=note\t''
invalid-yaml=warning\t''
invalid-yaml=error\t''
duplicate-key=off\t''
duplicate-key=note\t''
duplicate-key=warning\t''
duplicate-key=error\t''
field-type=off\t''
field-type=note\t''
field-type=warning\t''
field-type=error\t''
missing-name=off\t''
missing-name=note\t''
missing-name=warning\t''
missing-name=error\t''
name-format=off\t''
name-format=note\t''
name-format=warning\t''
name-format=error\t''
name-too-long=off\t''
name-too-long=note\t''
name-too-long=warning\t''
name-too-long=error\t''
name-directory-mismatch=off\t''
name-directory-mismatch=note\t''
name-directory-mismatch=warning\t''
name-directory-mismatch=error\t''
missing-description=off\t''
missing-description=note\t''
missing-description=warning\t''
missing-description=error\t''
description-empty=off\t''
description-empty=note\t''
description-empty=warning\t''
description-empty=error\t''
description-too-long=off\t''
description-too-long=note\t''
description-too-long=warning\t''
description-too-long=error\t''
compatibility-length=off\t''
compatibility-length=note\t''
compatibility-length=warning\t''
compatibility-length=error\t''
metadata-type=off\t''
metadata-type=note\t''
metadata-type=warning\t''
metadata-type=error\t''
duplicate-name=off\t''
duplicate-name=note\t''
duplicate-name=warning\t''
duplicate-name=error\t''
symlink=off\t''
symlink=note\t''
symlink=warning\t''
symlink=error\t''
special-file=off\t''
special-file=note\t''
special-file=warning\t''
special-file=error\t''
name-collision=off\t''
name-collision=note\t''
name-collision=warning\t''
name-collision=error\t''
unsafe-file-name=off\t''
unsafe-file-name=note\t''
unsafe-file-name=warning\t''
unsafe-file-name=error\t''
hidden-unicode=off\t''
hidden-unicode=note\t''
hidden-unicode=warning\t''
hidden-unicode=error\t''
confusable-letters=off\t''
confusable-letters=note\t''
confusable-letters=warning\t''
confusable-letters=error\t''
xml-in-description=off\t''
xml-in-description=note\t''
xml-in-description=warning\t''
xml-in-description=error\t''
reserved-name=off\t''
reserved-name=note\t''
reserved-name=warning\t''
reserved-name=error\t''
unknown-field=off\t''
unknown-field=note\t''
unknown-field=warning\t''
unknown-field=error\t''
nested-skill=off\t''
nested-skill=note\t''
nested-skill=warning\t''
nested-skill=error\t''
opaque-file=off\t''
opaque-file=note\t''
opaque-file=warning\t''
opaque-file=error\t''
empty-body=off\t''
empty-body=note\t''
empty-body=warning\t''
empty-body=error\t''
body-too-long=off\t''
body-too-long=note\t''
body-too-long=warning\t''
body-too-long=error\t''
broken-link=off\t''
broken-link=note\t''
broken-link=warning\t''
broken-link=error\t''
link-escapes-skill=off\t''
link-escapes-skill=note\t''
link-escapes-skill=warning\t''
link-escapes-skill=error\t''
broad-tools=off\t''
broad-tools=note\t''
broad-tools=warning\t''
broad-tools=error\t''
secret-in-file=off\t''
secret-in-file=note\t''
secret-in-file=warning\t''
secret-in-file=error\t''
version-control-files=off\t''
version-control-files=note\t''
version-control-files=warning\t''
version-control-files=error\t''
obfuscated-command=off\t''
obfuscated-command=note\t''
obfuscated-command=warning\t''
obfuscated-command=error\t''
paste-site-link=off\t''
paste-site-link=note\t''
paste-site-link=warning\t''
paste-site-link=error\t''
portable-file-name=off\t''
portable-file-name=note\t''
portable-file-name=warning\t''
portable-file-name=error\t''
agent-compat=off\t''
agent-compat=note\t''
agent-compat=warning\t''
agent-compat=error\t''
allowed-tools-format=off\t''
allowed-tools-format=note\t''
allowed-tools-format=warning\t''
allowed-tools-format=error\t''
script-not-executable=off\t''
script-not-executable=note\t''
script-not-executable=warning\t''
script-not-executable=error\t''
metadata-value=off\t''
metadata-value=note\t''
metadata-value=warning\t''
metadata-value=error\t''
pipe-to-shell=off\t''
pipe-to-shell=note\t''
pipe-to-shell=warning\t''
pipe-to-shell=error\t''
description-when=off\t''
description-when=note\t''
description-when=warning\t''
description-when=error\t''"
complete -c skills -n "__fish_skills_using_subcommand validate" -l color -d 'Choose when to use colour' -r -f -a "auto\t'On terminals, unless NO_COLOR is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c skills -n "__fish_skills_using_subcommand validate" -s C -l directory -d 'Run as if started in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand validate" -l frozen -d 'Use exactly what skills.lock pins, from the cache if possible'
complete -c skills -n "__fish_skills_using_subcommand validate" -l strict -d 'Fail on warnings, and report fields outside the specification as errors'
complete -c skills -n "__fish_skills_using_subcommand validate" -l deep -d 'Search every file of a skill for secrets, hidden text and dangerous commands'
complete -c skills -n "__fish_skills_using_subcommand validate" -l fix -d 'Repair errors and warnings where the repair is certain; all: notes too'
complete -c skills -n "__fish_skills_using_subcommand validate" -l diff -d 'Print what --fix would change, as a diff for patch -p1 or git apply'
complete -c skills -n "__fish_skills_using_subcommand validate" -s q -l quiet -d 'Print results and errors only'
complete -c skills -n "__fish_skills_using_subcommand validate" -s v -l verbose -d 'Print notes too; repeat to print logs'
complete -c skills -n "__fish_skills_using_subcommand validate" -l no-progress -d 'Never show a progress bar'
complete -c skills -n "__fish_skills_using_subcommand validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skills -n "__fish_skills_using_subcommand list" -l manifest -d 'Read sources, filters and rules from FILE [default: skills.yaml, without SOURCES]' -r -F
complete -c skills -n "__fish_skills_using_subcommand list" -l allow -d 'Select only skills whose names match (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand list" -l deny -d 'Leave out skills whose names match; overrides --allow (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand list" -l only -d 'Select the skill with exactly this name (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand list" -l exclude -d 'Skip directories whose paths below the source match (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand list" -l max-depth -d 'Search at most N levels below a source' -r -f
complete -c skills -n "__fish_skills_using_subcommand list" -l param -d 'Set a manifest parameter (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand list" -l expand -d 'Expand a section of the manifest or a skill in the prompt (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand list" -l source -d 'Search only these providers: claude, agents:project, … (repeatable)' -r -f -a "omp\t''
claude\t''
claude-plugins\t''
agents\t''
codex\t''
opencode\t''
github\t''
copilot\t''
gemini\t''
pi\t''
goose\t''
openclaw\t''
amp\t''
cursor\t''
omp-managed\t''
custom\t''"
complete -c skills -n "__fish_skills_using_subcommand list" -l no-source -d 'Skip these providers (repeatable)' -r -f -a "omp\t''
claude\t''
claude-plugins\t''
agents\t''
codex\t''
opencode\t''
github\t''
copilot\t''
gemini\t''
pi\t''
goose\t''
openclaw\t''
amp\t''
cursor\t''
omp-managed\t''
custom\t''"
complete -c skills -n "__fish_skills_using_subcommand list" -l skills-dir -d 'Also search DIR, one level deep (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand list" -l agent -d 'List exactly what this agent shows its model; with -v, also what it drops and why' -r -f -a "claude\t''
codex\t''
opencode\t''
copilot\t''
gemini\t''
pi\t''"
complete -c skills -n "__fish_skills_using_subcommand list" -l format -d 'Output format' -r -f -a "human\t'Table'
json\t'JSON document, version 1'
names\t'Names, one per line'
paths\t'Directories, one per line'"
complete -c skills -n "__fish_skills_using_subcommand list" -l color -d 'Choose when to use colour' -r -f -a "auto\t'On terminals, unless NO_COLOR is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c skills -n "__fish_skills_using_subcommand list" -s C -l directory -d 'Run as if started in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand list" -l frozen -d 'Use exactly what skills.lock pins, from the cache if possible'
complete -c skills -n "__fish_skills_using_subcommand list" -l discover -d 'List the skills that agents find on this machine, even if skills.yaml exists'
complete -c skills -n "__fish_skills_using_subcommand list" -s l -l long -d 'Also show files, bytes, tokens, path and digest'
complete -c skills -n "__fish_skills_using_subcommand list" -s q -l quiet -d 'Print results and errors only'
complete -c skills -n "__fish_skills_using_subcommand list" -s v -l verbose -d 'Print notes too; repeat to print logs'
complete -c skills -n "__fish_skills_using_subcommand list" -l no-progress -d 'Never show a progress bar'
complete -c skills -n "__fish_skills_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skills -n "__fish_skills_using_subcommand render" -l manifest -d 'Read sources, filters and rules from FILE [default: skills.yaml, without SOURCES]' -r -F
complete -c skills -n "__fish_skills_using_subcommand render" -l allow -d 'Select only skills whose names match (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand render" -l deny -d 'Leave out skills whose names match; overrides --allow (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand render" -l only -d 'Select the skill with exactly this name (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand render" -l exclude -d 'Skip directories whose paths below the source match (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand render" -l max-depth -d 'Search at most N levels below a source' -r -f
complete -c skills -n "__fish_skills_using_subcommand render" -l param -d 'Set a manifest parameter (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand render" -l expand -d 'Expand a section of the manifest or a skill in the prompt (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand render" -l format -d 'Output format' -r -f -a "xml\t'XML with every value escaped'
markdown\t'Markdown'
json\t'JSON document, version 1'"
complete -c skills -n "__fish_skills_using_subcommand render" -l visibility -d 'Show full entries, or only names and summaries' -r -f -a "full\t'Descriptions, and whole sections'
summary\t'Names, and summaries of sections'"
complete -c skills -n "__fish_skills_using_subcommand render" -l mount-path -d 'Say that skills are below this relative path' -r -f
complete -c skills -n "__fish_skills_using_subcommand render" -l events -d 'Append events to FILE, one JSON object per line (- for standard output)' -r -F
complete -c skills -n "__fish_skills_using_subcommand render" -l preload -d 'Render this skill in full instead of a catalogue (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand render" -l activate -d 'Render one skill as an agent loads it: its text, directory and files' -r -f
complete -c skills -n "__fish_skills_using_subcommand render" -l user -d 'Add the user\'s request to the activated skill' -r -f
complete -c skills -n "__fish_skills_using_subcommand render" -l as -d 'Render the listing that this agent shows its model; with -v, also its tokens' -r -f -a "claude\t''
codex\t''
opencode\t''
copilot\t''
gemini\t''
pi\t''"
complete -c skills -n "__fish_skills_using_subcommand render" -l color -d 'Choose when to use colour' -r -f -a "auto\t'On terminals, unless NO_COLOR is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c skills -n "__fish_skills_using_subcommand render" -s C -l directory -d 'Run as if started in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand render" -l frozen -d 'Use exactly what skills.lock pins, from the cache if possible'
complete -c skills -n "__fish_skills_using_subcommand render" -l no-instructions -d 'Leave out the instructions for using skills'
complete -c skills -n "__fish_skills_using_subcommand render" -l nested -d 'Include skills nested inside other skills'
complete -c skills -n "__fish_skills_using_subcommand render" -l prompt-only -d 'Render only skills with tools, which stay in the prompt when the rest are mounted'
complete -c skills -n "__fish_skills_using_subcommand render" -l sections -d 'Render every skill as a section of the prompt, with or without tools'
complete -c skills -n "__fish_skills_using_subcommand render" -s q -l quiet -d 'Print results and errors only'
complete -c skills -n "__fish_skills_using_subcommand render" -s v -l verbose -d 'Print notes too; repeat to print logs'
complete -c skills -n "__fish_skills_using_subcommand render" -l no-progress -d 'Never show a progress bar'
complete -c skills -n "__fish_skills_using_subcommand render" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skills -n "__fish_skills_using_subcommand read" -l skills-dir -d 'Search DIR, one level deep (repeatable)' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand read" -l format -d 'Output format' -r -f -a "human\t'File content; on a terminal, without control characters'
json\t'JSON document, version 1'"
complete -c skills -n "__fish_skills_using_subcommand read" -l color -d 'Choose when to use colour' -r -f -a "auto\t'On terminals, unless NO_COLOR is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c skills -n "__fish_skills_using_subcommand read" -s C -l directory -d 'Run as if started in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand read" -s q -l quiet -d 'Print results and errors only'
complete -c skills -n "__fish_skills_using_subcommand read" -s v -l verbose -d 'Print notes too; repeat to print logs'
complete -c skills -n "__fish_skills_using_subcommand read" -l no-progress -d 'Never show a progress bar'
complete -c skills -n "__fish_skills_using_subcommand read" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skills -n "__fish_skills_using_subcommand install" -l manifest -d 'Read sources, filters and rules from FILE [default: skills.yaml, without SOURCES]' -r -F
complete -c skills -n "__fish_skills_using_subcommand install" -l allow -d 'Select only skills whose names match (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand install" -l deny -d 'Leave out skills whose names match; overrides --allow (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand install" -l only -d 'Select the skill with exactly this name (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand install" -l exclude -d 'Skip directories whose paths below the source match (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand install" -l max-depth -d 'Search at most N levels below a source' -r -f
complete -c skills -n "__fish_skills_using_subcommand install" -l param -d 'Set a manifest parameter (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand install" -l expand -d 'Expand a section of the manifest or a skill in the prompt (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand install" -l agent -d 'Use the skills directory of this agent, such as codex [default: claude] (repeatable)' -r -f -a "claude\t''
codex\t''
opencode\t''
copilot\t''
gemini\t''
pi\t''
adal\t''
aider-desk\t''
amp\t''
antigravity\t''
antigravity-cli\t''
astrbot\t''
augment\t''
autohand-code\t''
bob\t''
cline\t''
codearts-agent\t''
codebuddy\t''
codemaker\t''
codestudio\t''
command-code\t''
continue\t''
cortex\t''
crush\t''
cursor\t''
deepagents\t''
devin\t''
dexto\t''
droid\t''
firebender\t''
forgecode\t''
fx\t''
grok\t''
hermes-agent\t''
iflow-cli\t''
inference-sh\t''
jazz\t''
junie\t''
kilo\t''
kimchi\t''
kimi-code-cli\t''
kiro-cli\t''
kode\t''
lingma\t''
loaf\t''
mcpjam\t''
minimax-code\t''
mistral-vibe\t''
moxby\t''
mux\t''
neovate\t''
ona\t''
openhands\t''
pochi\t''
posit-assistant\t''
qoder\t''
qoder-cn\t''
qwen-code\t''
reasonix\t''
replit\t''
roo\t''
rovodev\t''
sarvam-code\t''
tabnine-cli\t''
terramind\t''
tinycloud\t''
trae\t''
trae-cn\t''
warp\t''
windsurf\t''
zcode\t''
zed\t''
zencoder\t''
zenflow\t''"
complete -c skills -n "__fish_skills_using_subcommand install" -l scope -d 'Use the skills directory of the user or of the current repository' -r -f -a "user\t'The user, in every project'
project\t'The current git repository, or the current directory outside of one'"
complete -c skills -n "__fish_skills_using_subcommand install" -l home -d 'Use DIR as the home directory' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand install" -l dir -d 'Use DIR as the skills directory, whichever agent reads it' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand install" -l lock-timeout -d 'Wait at most this long for another run to finish' -r -f
complete -c skills -n "__fish_skills_using_subcommand install" -l format -d 'Output format' -r -f -a "human\t'Text, one line per skill'
json\t'JSON document, version 1'"
complete -c skills -n "__fish_skills_using_subcommand install" -l max-skill-size -d 'Maximum size of one skill [default: 10MiB]' -r -f
complete -c skills -n "__fish_skills_using_subcommand install" -l max-total-size -d 'Maximum size of all skills together [default: 50MiB]' -r -f
complete -c skills -n "__fish_skills_using_subcommand install" -l events -d 'Append events to FILE, one JSON object per line (- for standard output)' -r -F
complete -c skills -n "__fish_skills_using_subcommand install" -l color -d 'Choose when to use colour' -r -f -a "auto\t'On terminals, unless NO_COLOR is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c skills -n "__fish_skills_using_subcommand install" -s C -l directory -d 'Run as if started in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand install" -l frozen -d 'Use exactly what skills.lock pins, from the cache if possible'
complete -c skills -n "__fish_skills_using_subcommand install" -s n -l dry-run -d 'Show what would happen, and write nothing'
complete -c skills -n "__fish_skills_using_subcommand install" -l force -d 'Replace skills that differ, were edited or come from elsewhere; back up edited ones'
complete -c skills -n "__fish_skills_using_subcommand install" -l no-sync -d 'Do not wait until the files have reached the disk'
complete -c skills -n "__fish_skills_using_subcommand install" -l nested -d 'Include skills nested inside other skills'
complete -c skills -n "__fish_skills_using_subcommand install" -l no-skip -d 'Fail if any skill would be skipped'
complete -c skills -n "__fish_skills_using_subcommand install" -l strict -d 'Fail on any error that `skills validate` reports'
complete -c skills -n "__fish_skills_using_subcommand install" -l no-validate -d 'Skip all rules except the safety rules'
complete -c skills -n "__fish_skills_using_subcommand install" -l follow-symlinks -d 'Copy the targets of links that stay inside the source'
complete -c skills -n "__fish_skills_using_subcommand install" -l read-only -d 'Make the copies read-only'
complete -c skills -n "__fish_skills_using_subcommand install" -s q -l quiet -d 'Print results and errors only'
complete -c skills -n "__fish_skills_using_subcommand install" -s v -l verbose -d 'Print notes too; repeat to print logs'
complete -c skills -n "__fish_skills_using_subcommand install" -l no-progress -d 'Never show a progress bar'
complete -c skills -n "__fish_skills_using_subcommand install" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skills -n "__fish_skills_using_subcommand remove" -l agent -d 'Use the skills directory of this agent, such as codex [default: claude] (repeatable)' -r -f -a "claude\t''
codex\t''
opencode\t''
copilot\t''
gemini\t''
pi\t''
adal\t''
aider-desk\t''
amp\t''
antigravity\t''
antigravity-cli\t''
astrbot\t''
augment\t''
autohand-code\t''
bob\t''
cline\t''
codearts-agent\t''
codebuddy\t''
codemaker\t''
codestudio\t''
command-code\t''
continue\t''
cortex\t''
crush\t''
cursor\t''
deepagents\t''
devin\t''
dexto\t''
droid\t''
firebender\t''
forgecode\t''
fx\t''
grok\t''
hermes-agent\t''
iflow-cli\t''
inference-sh\t''
jazz\t''
junie\t''
kilo\t''
kimchi\t''
kimi-code-cli\t''
kiro-cli\t''
kode\t''
lingma\t''
loaf\t''
mcpjam\t''
minimax-code\t''
mistral-vibe\t''
moxby\t''
mux\t''
neovate\t''
ona\t''
openhands\t''
pochi\t''
posit-assistant\t''
qoder\t''
qoder-cn\t''
qwen-code\t''
reasonix\t''
replit\t''
roo\t''
rovodev\t''
sarvam-code\t''
tabnine-cli\t''
terramind\t''
tinycloud\t''
trae\t''
trae-cn\t''
warp\t''
windsurf\t''
zcode\t''
zed\t''
zencoder\t''
zenflow\t''"
complete -c skills -n "__fish_skills_using_subcommand remove" -l scope -d 'Use the skills directory of the user or of the current repository' -r -f -a "user\t'The user, in every project'
project\t'The current git repository, or the current directory outside of one'"
complete -c skills -n "__fish_skills_using_subcommand remove" -l home -d 'Use DIR as the home directory' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand remove" -l dir -d 'Use DIR as the skills directory, whichever agent reads it' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand remove" -l lock-timeout -d 'Wait at most this long for another run to finish' -r -f
complete -c skills -n "__fish_skills_using_subcommand remove" -l format -d 'Output format' -r -f -a "human\t'Text, one line per skill'
json\t'JSON document, version 1'"
complete -c skills -n "__fish_skills_using_subcommand remove" -l color -d 'Choose when to use colour' -r -f -a "auto\t'On terminals, unless NO_COLOR is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c skills -n "__fish_skills_using_subcommand remove" -s C -l directory -d 'Run as if started in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand remove" -s n -l dry-run -d 'Show what would happen, and write nothing'
complete -c skills -n "__fish_skills_using_subcommand remove" -l no-sync -d 'Do not wait until the files have reached the disk'
complete -c skills -n "__fish_skills_using_subcommand remove" -l force -d 'Remove skills that were edited or come from elsewhere, and keep a backup'
complete -c skills -n "__fish_skills_using_subcommand remove" -s q -l quiet -d 'Print results and errors only'
complete -c skills -n "__fish_skills_using_subcommand remove" -s v -l verbose -d 'Print notes too; repeat to print logs'
complete -c skills -n "__fish_skills_using_subcommand remove" -l no-progress -d 'Never show a progress bar'
complete -c skills -n "__fish_skills_using_subcommand remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skills -n "__fish_skills_using_subcommand verify" -l agent -d 'Use the skills directory of this agent, such as codex [default: claude] (repeatable)' -r -f -a "claude\t''
codex\t''
opencode\t''
copilot\t''
gemini\t''
pi\t''
adal\t''
aider-desk\t''
amp\t''
antigravity\t''
antigravity-cli\t''
astrbot\t''
augment\t''
autohand-code\t''
bob\t''
cline\t''
codearts-agent\t''
codebuddy\t''
codemaker\t''
codestudio\t''
command-code\t''
continue\t''
cortex\t''
crush\t''
cursor\t''
deepagents\t''
devin\t''
dexto\t''
droid\t''
firebender\t''
forgecode\t''
fx\t''
grok\t''
hermes-agent\t''
iflow-cli\t''
inference-sh\t''
jazz\t''
junie\t''
kilo\t''
kimchi\t''
kimi-code-cli\t''
kiro-cli\t''
kode\t''
lingma\t''
loaf\t''
mcpjam\t''
minimax-code\t''
mistral-vibe\t''
moxby\t''
mux\t''
neovate\t''
ona\t''
openhands\t''
pochi\t''
posit-assistant\t''
qoder\t''
qoder-cn\t''
qwen-code\t''
reasonix\t''
replit\t''
roo\t''
rovodev\t''
sarvam-code\t''
tabnine-cli\t''
terramind\t''
tinycloud\t''
trae\t''
trae-cn\t''
warp\t''
windsurf\t''
zcode\t''
zed\t''
zencoder\t''
zenflow\t''"
complete -c skills -n "__fish_skills_using_subcommand verify" -l scope -d 'Use the skills directory of the user or of the current repository' -r -f -a "user\t'The user, in every project'
project\t'The current git repository, or the current directory outside of one'"
complete -c skills -n "__fish_skills_using_subcommand verify" -l home -d 'Use DIR as the home directory' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand verify" -l dir -d 'Use DIR as the skills directory, whichever agent reads it' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand verify" -l manifest -d 'Also compare with the lock of this manifest [default: skills.yaml, if it has a lock]' -r -F
complete -c skills -n "__fish_skills_using_subcommand verify" -l format -d 'Output format' -r -f -a "human\t'Text, one line per skill'
json\t'JSON document, version 1'"
complete -c skills -n "__fish_skills_using_subcommand verify" -l color -d 'Choose when to use colour' -r -f -a "auto\t'On terminals, unless NO_COLOR is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c skills -n "__fish_skills_using_subcommand verify" -s C -l directory -d 'Run as if started in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand verify" -l frozen -d 'Require every locked skill to be installed exactly as locked'
complete -c skills -n "__fish_skills_using_subcommand verify" -s q -l quiet -d 'Print results and errors only'
complete -c skills -n "__fish_skills_using_subcommand verify" -s v -l verbose -d 'Print notes too; repeat to print logs'
complete -c skills -n "__fish_skills_using_subcommand verify" -l no-progress -d 'Never show a progress bar'
complete -c skills -n "__fish_skills_using_subcommand verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skills -n "__fish_skills_using_subcommand mount" -l manifest -d 'Read sources, filters and rules from FILE [default: skills.yaml, without SOURCES]' -r -F
complete -c skills -n "__fish_skills_using_subcommand mount" -l allow -d 'Select only skills whose names match (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand mount" -l deny -d 'Leave out skills whose names match; overrides --allow (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand mount" -l only -d 'Select the skill with exactly this name (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand mount" -l exclude -d 'Skip directories whose paths below the source match (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand mount" -l max-depth -d 'Search at most N levels below a source' -r -f
complete -c skills -n "__fish_skills_using_subcommand mount" -l param -d 'Set a manifest parameter (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand mount" -l expand -d 'Expand a section of the manifest or a skill in the prompt (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand mount" -l agent -d 'Mount for this agent, or all [default: the agent in COMMAND, else claude] (repeatable)' -r -f -a "claude\t''
codex\t''
opencode\t''
copilot\t''
gemini\t''
pi\t''
all\t''"
complete -c skills -n "__fish_skills_using_subcommand mount" -l home -d 'Create the home in DIR, which must be absent or empty [default: below TMPDIR]' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand mount" -l prefix -d 'Start the name of a temporary home with PREFIX [default: agent-]' -r -f
complete -c skills -n "__fish_skills_using_subcommand mount" -l with -d 'Link another path of the real home (repeatable)' -r -F
complete -c skills -n "__fish_skills_using_subcommand mount" -l auth -d 'Choose how to provide logins' -r -f -a "link\t'Link the files, so that no secret is copied'
copy\t'Copy the files, readable only by the owner'
none\t'Provide no logins'"
complete -c skills -n "__fish_skills_using_subcommand mount" -l max-skill-size -d 'Maximum size of one skill [default: 10MiB]' -r -f
complete -c skills -n "__fish_skills_using_subcommand mount" -l max-total-size -d 'Maximum size of all skills together [default: 50MiB]' -r -f
complete -c skills -n "__fish_skills_using_subcommand mount" -l events -d 'Append events to FILE, one JSON object per line (- for standard output)' -r -F
complete -c skills -n "__fish_skills_using_subcommand mount" -l prompt -d 'Write the output of `skills render --prompt-only` to FILE' -r -F
complete -c skills -n "__fish_skills_using_subcommand mount" -l format -d 'Output format when no command is given' -r -f -a "path\t'Path of the home'
env\t'Shell commands that set the environment'
json\t'JSON document, version 1'"
complete -c skills -n "__fish_skills_using_subcommand mount" -l shell -d 'Shell for --format env' -r -f -a "sh\t'sh, bash, zsh and similar'
fish\t'fish'
powershell\t'PowerShell'"
complete -c skills -n "__fish_skills_using_subcommand mount" -l color -d 'Choose when to use colour' -r -f -a "auto\t'On terminals, unless NO_COLOR is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c skills -n "__fish_skills_using_subcommand mount" -s C -l directory -d 'Run as if started in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand mount" -l frozen -d 'Use exactly what skills.lock pins, from the cache if possible'
complete -c skills -n "__fish_skills_using_subcommand mount" -l keep -d 'Keep the home after the command ends'
complete -c skills -n "__fish_skills_using_subcommand mount" -l allow-host-skills -d 'Run even if the agent can see skills of the real home'
complete -c skills -n "__fish_skills_using_subcommand mount" -l trust-manifest -d 'Let the manifest set variables that choose programs, endpoints and secrets'
complete -c skills -n "__fish_skills_using_subcommand mount" -l nested -d 'Include skills nested inside other skills'
complete -c skills -n "__fish_skills_using_subcommand mount" -l no-skip -d 'Fail if any skill would be skipped'
complete -c skills -n "__fish_skills_using_subcommand mount" -l strict -d 'Fail on any error that `skills validate` reports'
complete -c skills -n "__fish_skills_using_subcommand mount" -l no-validate -d 'Skip all rules except the safety rules'
complete -c skills -n "__fish_skills_using_subcommand mount" -l follow-symlinks -d 'Copy the targets of links that stay inside the source'
complete -c skills -n "__fish_skills_using_subcommand mount" -l read-only -d 'Make the copies read-only'
complete -c skills -n "__fish_skills_using_subcommand mount" -s q -l quiet -d 'Print results and errors only'
complete -c skills -n "__fish_skills_using_subcommand mount" -s v -l verbose -d 'Print notes too; repeat to print logs'
complete -c skills -n "__fish_skills_using_subcommand mount" -l no-progress -d 'Never show a progress bar'
complete -c skills -n "__fish_skills_using_subcommand mount" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skills -n "__fish_skills_using_subcommand unmount" -l older-than -d 'Also remove homes mounted without a command before AGE: 90s, 30m, 12h, 7d' -r -f
complete -c skills -n "__fish_skills_using_subcommand unmount" -l color -d 'Choose when to use colour' -r -f -a "auto\t'On terminals, unless NO_COLOR is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c skills -n "__fish_skills_using_subcommand unmount" -s C -l directory -d 'Run as if started in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand unmount" -l stale -d 'Remove homes below TMPDIR whose run was killed'
complete -c skills -n "__fish_skills_using_subcommand unmount" -s q -l quiet -d 'Print results and errors only'
complete -c skills -n "__fish_skills_using_subcommand unmount" -s v -l verbose -d 'Print notes too; repeat to print logs'
complete -c skills -n "__fish_skills_using_subcommand unmount" -l no-progress -d 'Never show a progress bar'
complete -c skills -n "__fish_skills_using_subcommand unmount" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skills -n "__fish_skills_using_subcommand pack" -s o -l output -d 'Write to this directory or, for one skill, to this .skill or .zip file [default: .]' -r -F
complete -c skills -n "__fish_skills_using_subcommand pack" -l include -d 'Include files that are left out by default (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand pack" -l exclude -d 'Leave out files that match (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand pack" -l format -d 'Output format' -r -f -a "human\t'Text, one line per skill'
json\t'JSON document, version 1'"
complete -c skills -n "__fish_skills_using_subcommand pack" -l color -d 'Choose when to use colour' -r -f -a "auto\t'On terminals, unless NO_COLOR is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c skills -n "__fish_skills_using_subcommand pack" -s C -l directory -d 'Run as if started in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand pack" -l nested -d 'Include skills nested inside other skills'
complete -c skills -n "__fish_skills_using_subcommand pack" -l no-validate -d 'Skip all rules except the safety rules'
complete -c skills -n "__fish_skills_using_subcommand pack" -l force -d 'Replace archives that differ'
complete -c skills -n "__fish_skills_using_subcommand pack" -s q -l quiet -d 'Print results and errors only'
complete -c skills -n "__fish_skills_using_subcommand pack" -s v -l verbose -d 'Print notes too; repeat to print logs'
complete -c skills -n "__fish_skills_using_subcommand pack" -l no-progress -d 'Never show a progress bar'
complete -c skills -n "__fish_skills_using_subcommand pack" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skills -n "__fish_skills_using_subcommand lock" -l manifest -d 'Read the sources from this manifest [default: skills.yaml]' -r -F
complete -c skills -n "__fish_skills_using_subcommand lock" -l param -d 'Set a manifest parameter (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand lock" -l format -d 'Output format' -r -f -a "human\t'Text, one line per skill'
json\t'JSON document, version 1'"
complete -c skills -n "__fish_skills_using_subcommand lock" -l upgrade -d 'Upgrade all sources, or only those that are named NAME or provide skill NAME' -r -f
complete -c skills -n "__fish_skills_using_subcommand lock" -l color -d 'Choose when to use colour' -r -f -a "auto\t'On terminals, unless NO_COLOR is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c skills -n "__fish_skills_using_subcommand lock" -s C -l directory -d 'Run as if started in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand lock" -s n -l dry-run -d 'Show what would change, and write nothing'
complete -c skills -n "__fish_skills_using_subcommand lock" -s q -l quiet -d 'Print results and errors only'
complete -c skills -n "__fish_skills_using_subcommand lock" -s v -l verbose -d 'Print notes too; repeat to print logs'
complete -c skills -n "__fish_skills_using_subcommand lock" -l no-progress -d 'Never show a progress bar'
complete -c skills -n "__fish_skills_using_subcommand lock" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skills -n "__fish_skills_using_subcommand outdated" -l manifest -d 'Read the sources from this manifest [default: skills.yaml]' -r -F
complete -c skills -n "__fish_skills_using_subcommand outdated" -l param -d 'Set a manifest parameter (repeatable)' -r -f
complete -c skills -n "__fish_skills_using_subcommand outdated" -l format -d 'Output format' -r -f -a "human\t'Text, one line per skill'
json\t'JSON document, version 1'"
complete -c skills -n "__fish_skills_using_subcommand outdated" -l color -d 'Choose when to use colour' -r -f -a "auto\t'On terminals, unless NO_COLOR is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c skills -n "__fish_skills_using_subcommand outdated" -s C -l directory -d 'Run as if started in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand outdated" -s q -l quiet -d 'Print results and errors only'
complete -c skills -n "__fish_skills_using_subcommand outdated" -s v -l verbose -d 'Print notes too; repeat to print logs'
complete -c skills -n "__fish_skills_using_subcommand outdated" -l no-progress -d 'Never show a progress bar'
complete -c skills -n "__fish_skills_using_subcommand outdated" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skills -n "__fish_skills_using_subcommand init" -l description -d 'Describe what the skill does and when to use it' -r -f
complete -c skills -n "__fish_skills_using_subcommand init" -l dir -d 'Create the skill\'s directory in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand init" -l color -d 'Choose when to use colour' -r -f -a "auto\t'On terminals, unless NO_COLOR is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c skills -n "__fish_skills_using_subcommand init" -s C -l directory -d 'Run as if started in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand init" -l manifest -d 'Write a commented skills.yaml instead of a skill'
complete -c skills -n "__fish_skills_using_subcommand init" -s q -l quiet -d 'Print results and errors only'
complete -c skills -n "__fish_skills_using_subcommand init" -s v -l verbose -d 'Print notes too; repeat to print logs'
complete -c skills -n "__fish_skills_using_subcommand init" -l no-progress -d 'Never show a progress bar'
complete -c skills -n "__fish_skills_using_subcommand init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skills -n "__fish_skills_using_subcommand explain" -l color -d 'Choose when to use colour' -r -f -a "auto\t'On terminals, unless NO_COLOR is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c skills -n "__fish_skills_using_subcommand explain" -s C -l directory -d 'Run as if started in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand explain" -s q -l quiet -d 'Print results and errors only'
complete -c skills -n "__fish_skills_using_subcommand explain" -s v -l verbose -d 'Print notes too; repeat to print logs'
complete -c skills -n "__fish_skills_using_subcommand explain" -l no-progress -d 'Never show a progress bar'
complete -c skills -n "__fish_skills_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skills -n "__fish_skills_using_subcommand rules" -l format -d 'Output format' -r -f -a "human\t'Table'
json\t'JSON document, version 1'
markdown\t'Markdown, as in docs/rules.md'"
complete -c skills -n "__fish_skills_using_subcommand rules" -l color -d 'Choose when to use colour' -r -f -a "auto\t'On terminals, unless NO_COLOR is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c skills -n "__fish_skills_using_subcommand rules" -s C -l directory -d 'Run as if started in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand rules" -s q -l quiet -d 'Print results and errors only'
complete -c skills -n "__fish_skills_using_subcommand rules" -s v -l verbose -d 'Print notes too; repeat to print logs'
complete -c skills -n "__fish_skills_using_subcommand rules" -l no-progress -d 'Never show a progress bar'
complete -c skills -n "__fish_skills_using_subcommand rules" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skills -n "__fish_skills_using_subcommand schema" -l color -d 'Choose when to use colour' -r -f -a "auto\t'On terminals, unless NO_COLOR is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c skills -n "__fish_skills_using_subcommand schema" -s C -l directory -d 'Run as if started in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand schema" -s q -l quiet -d 'Print results and errors only'
complete -c skills -n "__fish_skills_using_subcommand schema" -s v -l verbose -d 'Print notes too; repeat to print logs'
complete -c skills -n "__fish_skills_using_subcommand schema" -l no-progress -d 'Never show a progress bar'
complete -c skills -n "__fish_skills_using_subcommand schema" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skills -n "__fish_skills_using_subcommand completions" -l color -d 'Choose when to use colour' -r -f -a "auto\t'On terminals, unless NO_COLOR is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c skills -n "__fish_skills_using_subcommand completions" -s C -l directory -d 'Run as if started in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand completions" -s q -l quiet -d 'Print results and errors only'
complete -c skills -n "__fish_skills_using_subcommand completions" -s v -l verbose -d 'Print notes too; repeat to print logs'
complete -c skills -n "__fish_skills_using_subcommand completions" -l no-progress -d 'Never show a progress bar'
complete -c skills -n "__fish_skills_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skills -n "__fish_skills_using_subcommand man" -l dir -d 'Write one page per command to DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand man" -l color -d 'Choose when to use colour' -r -f -a "auto\t'On terminals, unless NO_COLOR is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c skills -n "__fish_skills_using_subcommand man" -s C -l directory -d 'Run as if started in DIR' -r -f -a "(__fish_complete_directories)"
complete -c skills -n "__fish_skills_using_subcommand man" -s q -l quiet -d 'Print results and errors only'
complete -c skills -n "__fish_skills_using_subcommand man" -s v -l verbose -d 'Print notes too; repeat to print logs'
complete -c skills -n "__fish_skills_using_subcommand man" -l no-progress -d 'Never show a progress bar'
complete -c skills -n "__fish_skills_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skills -n "__fish_skills_using_subcommand help; and not __fish_seen_subcommand_from validate list render read install remove verify mount unmount pack lock outdated init explain rules schema completions man help" -f -a "validate" -d 'Check skills against the specification and the behaviour of real agents'
complete -c skills -n "__fish_skills_using_subcommand help; and not __fish_seen_subcommand_from validate list render read install remove verify mount unmount pack lock outdated init explain rules schema completions man help" -f -a "list" -d 'List skills, and show which ones agents load and why others are missing'
complete -c skills -n "__fish_skills_using_subcommand help; and not __fish_seen_subcommand_from validate list render read install remove verify mount unmount pack lock outdated init explain rules schema completions man help" -f -a "render" -d 'Print the catalogue of skills that a model sees'
complete -c skills -n "__fish_skills_using_subcommand help; and not __fish_seen_subcommand_from validate list render read install remove verify mount unmount pack lock outdated init explain rules schema completions man help" -f -a "read" -d 'Print one file of a skill'
complete -c skills -n "__fish_skills_using_subcommand help; and not __fish_seen_subcommand_from validate list render read install remove verify mount unmount pack lock outdated init explain rules schema completions man help" -f -a "install" -d 'Copy skills into the directories where agents look for them'
complete -c skills -n "__fish_skills_using_subcommand help; and not __fish_seen_subcommand_from validate list render read install remove verify mount unmount pack lock outdated init explain rules schema completions man help" -f -a "remove" -d 'Remove installed skills'
complete -c skills -n "__fish_skills_using_subcommand help; and not __fish_seen_subcommand_from validate list render read install remove verify mount unmount pack lock outdated init explain rules schema completions man help" -f -a "verify" -d 'Find installed skills that changed since they were installed'
complete -c skills -n "__fish_skills_using_subcommand help; and not __fish_seen_subcommand_from validate list render read install remove verify mount unmount pack lock outdated init explain rules schema completions man help" -f -a "mount" -d 'Create a temporary home with only these skills, and run an agent in it'
complete -c skills -n "__fish_skills_using_subcommand help; and not __fish_seen_subcommand_from validate list render read install remove verify mount unmount pack lock outdated init explain rules schema completions man help" -f -a "unmount" -d 'Remove homes created by `skills mount`'
complete -c skills -n "__fish_skills_using_subcommand help; and not __fish_seen_subcommand_from validate list render read install remove verify mount unmount pack lock outdated init explain rules schema completions man help" -f -a "pack" -d 'Pack each skill into a reproducible .skill archive'
complete -c skills -n "__fish_skills_using_subcommand help; and not __fish_seen_subcommand_from validate list render read install remove verify mount unmount pack lock outdated init explain rules schema completions man help" -f -a "lock" -d 'Pin the sources of a manifest to commits and digests'
complete -c skills -n "__fish_skills_using_subcommand help; and not __fish_seen_subcommand_from validate list render read install remove verify mount unmount pack lock outdated init explain rules schema completions man help" -f -a "outdated" -d 'Show what `skills lock --upgrade` would change'
complete -c skills -n "__fish_skills_using_subcommand help; and not __fish_seen_subcommand_from validate list render read install remove verify mount unmount pack lock outdated init explain rules schema completions man help" -f -a "init" -d 'Create a skill that passes validation'
complete -c skills -n "__fish_skills_using_subcommand help; and not __fish_seen_subcommand_from validate list render read install remove verify mount unmount pack lock outdated init explain rules schema completions man help" -f -a "explain" -d 'Explain what a rule checks, why, and how to satisfy it'
complete -c skills -n "__fish_skills_using_subcommand help; and not __fish_seen_subcommand_from validate list render read install remove verify mount unmount pack lock outdated init explain rules schema completions man help" -f -a "rules" -d 'List all rules'
complete -c skills -n "__fish_skills_using_subcommand help; and not __fish_seen_subcommand_from validate list render read install remove verify mount unmount pack lock outdated init explain rules schema completions man help" -f -a "schema" -d 'Print the JSON Schema of skills.yaml'
complete -c skills -n "__fish_skills_using_subcommand help; and not __fish_seen_subcommand_from validate list render read install remove verify mount unmount pack lock outdated init explain rules schema completions man help" -f -a "completions" -d 'Print a shell completion script'
complete -c skills -n "__fish_skills_using_subcommand help; and not __fish_seen_subcommand_from validate list render read install remove verify mount unmount pack lock outdated init explain rules schema completions man help" -f -a "man" -d 'Print the manual page, or write one page per command'
complete -c skills -n "__fish_skills_using_subcommand help; and not __fish_seen_subcommand_from validate list render read install remove verify mount unmount pack lock outdated init explain rules schema completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skills -n "__fish_skills_using_subcommand explain" -f -a "missing-skill-md skill-md-case not-utf8 control-character byte-order-mark file-too-large skill-too-large missing-frontmatter unclosed-frontmatter invalid-yaml duplicate-key field-type missing-name name-format name-too-long name-directory-mismatch missing-description description-empty description-too-long compatibility-length metadata-type duplicate-name symlink special-file name-collision unsafe-file-name hidden-unicode confusable-letters xml-in-description reserved-name unknown-field nested-skill opaque-file empty-body body-too-long broken-link link-escapes-skill broad-tools secret-in-file version-control-files obfuscated-command paste-site-link portable-file-name agent-compat allowed-tools-format script-not-executable metadata-value pipe-to-shell description-when"
complete -c skills -n "__fish_skills_using_subcommand completions" -f -a "bash elvish fish powershell zsh"
