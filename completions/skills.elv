
use builtin;
use str;

set edit:completion:arg-completer[skills] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'skills'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'skills'= {
            cand --color 'When to use colour'
            cand -C 'Work as if started in DIR'
            cand --directory 'Work as if started in DIR'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more: notes, then logs (repeatable)'
            cand --verbose 'Say more: notes, then logs (repeatable)'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand validate 'Check skills against the specification and against what agents really do'
            cand list 'List skills: what is there, who sees it, and why not'
            cand render 'Print what a model gets to see of skills'
            cand read 'Print one file of a skill'
            cand install 'Copy skills to where agents find them, all of them or none'
            cand remove 'Remove skills that were installed'
            cand verify 'Check installed skills against what was recorded when they were installed'
            cand mount 'Make a temporary home with these skills and no others, and run an agent there'
            cand unmount 'Remove homes that `skills mount` made'
            cand pack 'Make a .skill archive of each skill, the same bytes on any machine'
            cand lock 'Write down which commits and digests the sources of a manifest have'
            cand outdated 'Say what `skills lock --upgrade` would change'
            cand init 'Start a new skill that validates clean'
            cand explain 'Say what a rule checks, why, and how to satisfy it'
            cand rules 'List all rules'
            cand schema 'Print the JSON Schema of skills.yaml'
            cand completions 'Print a completion script for a shell'
            cand man 'Print the manual page, or write all of them to a directory'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'skills;validate'= {
            cand --manifest 'Read sources, filters and rule levels from FILE [default: skills.yaml, when no source is given]'
            cand --allow 'Only skills whose name matches (repeatable)'
            cand --deny 'No skills whose name matches; wins over --allow (repeatable)'
            cand --only 'Exactly the skill of this name (repeatable)'
            cand --exclude 'Do not enter directories whose path below the source matches (repeatable)'
            cand --max-depth 'Search at most N levels below a source'
            cand --param 'Set a parameter of the manifest (repeatable)'
            cand --expand 'Expand a section of the manifest, or a skill of a prompt (repeatable)'
            cand --format 'How to print findings'
            cand -o 'Write the chosen format to FILE, and human text to the terminal'
            cand --output 'Write the chosen format to FILE, and human text to the terminal'
            cand --agent 'Also say what this agent would do with each skill (repeatable)'
            cand --rule 'Set the level of a rule: off, note, warning or error (repeatable)'
            cand --color 'When to use colour'
            cand -C 'Work as if started in DIR'
            cand --directory 'Work as if started in DIR'
            cand --frozen 'Take nothing but what skills.lock says, from the cache where it is there'
            cand --strict 'Warnings fail too, and fields outside the specification are errors'
            cand --fix 'Repair what is safe to repair'
            cand --diff 'Show what --fix would change, and change nothing'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more: notes, then logs (repeatable)'
            cand --verbose 'Say more: notes, then logs (repeatable)'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;list'= {
            cand --manifest 'Read sources, filters and rule levels from FILE [default: skills.yaml, when no source is given]'
            cand --allow 'Only skills whose name matches (repeatable)'
            cand --deny 'No skills whose name matches; wins over --allow (repeatable)'
            cand --only 'Exactly the skill of this name (repeatable)'
            cand --exclude 'Do not enter directories whose path below the source matches (repeatable)'
            cand --max-depth 'Search at most N levels below a source'
            cand --param 'Set a parameter of the manifest (repeatable)'
            cand --expand 'Expand a section of the manifest, or a skill of a prompt (repeatable)'
            cand --source 'Only these: claude, agents:project, … (repeatable)'
            cand --no-source 'None of these (repeatable)'
            cand --skills-dir 'Look here as well, one level deep (repeatable)'
            cand --agent 'Exactly what this agent would show its model; with -v, what it loses and why'
            cand --format 'How to print skills'
            cand --color 'When to use colour'
            cand -C 'Work as if started in DIR'
            cand --directory 'Work as if started in DIR'
            cand --frozen 'Take nothing but what skills.lock says, from the cache where it is there'
            cand --discover 'List what agents find on this machine, even where there is a skills.yaml'
            cand -l 'Also files, bytes, tokens, path and digest'
            cand --long 'Also files, bytes, tokens, path and digest'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more: notes, then logs (repeatable)'
            cand --verbose 'Say more: notes, then logs (repeatable)'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;render'= {
            cand --manifest 'Read sources, filters and rule levels from FILE [default: skills.yaml, when no source is given]'
            cand --allow 'Only skills whose name matches (repeatable)'
            cand --deny 'No skills whose name matches; wins over --allow (repeatable)'
            cand --only 'Exactly the skill of this name (repeatable)'
            cand --exclude 'Do not enter directories whose path below the source matches (repeatable)'
            cand --max-depth 'Search at most N levels below a source'
            cand --param 'Set a parameter of the manifest (repeatable)'
            cand --expand 'Expand a section of the manifest, or a skill of a prompt (repeatable)'
            cand --format 'How to write it'
            cand --visibility 'Names and descriptions, or names alone; of sections, all or their summary'
            cand --mount-path 'Say that skills are below this relative path'
            cand --events 'Append what was expanded to FILE, one JSON object a line (- for standard output)'
            cand --preload 'Whole skills instead of a catalogue (repeatable)'
            cand --activate 'One skill that is being used: its text, its directory and its files'
            cand --user 'What the user asked for when activating'
            cand --as 'The listing that this agent puts before its model; with -v, its tokens'
            cand --color 'When to use colour'
            cand -C 'Work as if started in DIR'
            cand --directory 'Work as if started in DIR'
            cand --frozen 'Take nothing but what skills.lock says, from the cache where it is there'
            cand --no-instructions 'Leave out how to use a skill'
            cand --prompt-only 'Only skills with tools, which stay in the prompt when the others are mounted'
            cand --sections 'Every skill as a section of the prompt, tools or not'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more: notes, then logs (repeatable)'
            cand --verbose 'Say more: notes, then logs (repeatable)'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;read'= {
            cand --skills-dir 'Look up names in this directory, one level deep (repeatable)'
            cand --format 'How to print the file'
            cand --color 'When to use colour'
            cand -C 'Work as if started in DIR'
            cand --directory 'Work as if started in DIR'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more: notes, then logs (repeatable)'
            cand --verbose 'Say more: notes, then logs (repeatable)'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;install'= {
            cand --manifest 'Read sources, filters and rule levels from FILE [default: skills.yaml, when no source is given]'
            cand --allow 'Only skills whose name matches (repeatable)'
            cand --deny 'No skills whose name matches; wins over --allow (repeatable)'
            cand --only 'Exactly the skill of this name (repeatable)'
            cand --exclude 'Do not enter directories whose path below the source matches (repeatable)'
            cand --max-depth 'Search at most N levels below a source'
            cand --param 'Set a parameter of the manifest (repeatable)'
            cand --expand 'Expand a section of the manifest, or a skill of a prompt (repeatable)'
            cand --agent 'Where this agent looks: claude, codex, opencode, … [default: claude] (repeatable)'
            cand --scope 'Of the user, or of the repository that is here'
            cand --home 'Take this directory for the home'
            cand --dir 'This skills directory, whatever agent reads it'
            cand --lock-timeout 'Wait at most this long for another run'
            cand --format 'How to print what was done'
            cand --max-skill-size 'The most one skill may have [default: 10MiB]'
            cand --max-total-size 'The most all skills may have together [default: 50MiB]'
            cand --events 'Append what was installed to FILE, one JSON object a line (- for standard output)'
            cand --color 'When to use colour'
            cand -C 'Work as if started in DIR'
            cand --directory 'Work as if started in DIR'
            cand --frozen 'Take nothing but what skills.lock says, from the cache where it is there'
            cand -n 'Say what would happen, and write nothing'
            cand --dry-run 'Say what would happen, and write nothing'
            cand --force 'Also what is different, edited or from elsewhere; what was edited is kept aside'
            cand --no-sync 'Do not wait until everything is on the disk'
            cand --no-validate 'Install skills that break rules, but for those of safety'
            cand --follow-symlinks 'Copy what links lead to, when that lies inside the source'
            cand --read-only 'Make copies that nobody can write to'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more: notes, then logs (repeatable)'
            cand --verbose 'Say more: notes, then logs (repeatable)'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;remove'= {
            cand --agent 'Where this agent looks: claude, codex, opencode, … [default: claude] (repeatable)'
            cand --scope 'Of the user, or of the repository that is here'
            cand --home 'Take this directory for the home'
            cand --dir 'This skills directory, whatever agent reads it'
            cand --lock-timeout 'Wait at most this long for another run'
            cand --format 'How to print what was done'
            cand --color 'When to use colour'
            cand -C 'Work as if started in DIR'
            cand --directory 'Work as if started in DIR'
            cand -n 'Say what would happen, and write nothing'
            cand --dry-run 'Say what would happen, and write nothing'
            cand --force 'Also what is different, edited or from elsewhere; what was edited is kept aside'
            cand --no-sync 'Do not wait until everything is on the disk'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more: notes, then logs (repeatable)'
            cand --verbose 'Say more: notes, then logs (repeatable)'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;verify'= {
            cand --agent 'Where this agent looks: claude, codex, opencode, … [default: claude] (repeatable)'
            cand --scope 'Of the user, or of the repository that is here'
            cand --home 'Take this directory for the home'
            cand --dir 'This skills directory, whatever agent reads it'
            cand --manifest 'Also compare them with the lock of this manifest [default: that of skills.yaml, if it has one]'
            cand --format 'How to print them'
            cand --color 'When to use colour'
            cand -C 'Work as if started in DIR'
            cand --directory 'Work as if started in DIR'
            cand --frozen 'All that is locked must be there, and be what the lock says'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more: notes, then logs (repeatable)'
            cand --verbose 'Say more: notes, then logs (repeatable)'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;mount'= {
            cand --manifest 'Read sources, filters and rule levels from FILE [default: skills.yaml, when no source is given]'
            cand --allow 'Only skills whose name matches (repeatable)'
            cand --deny 'No skills whose name matches; wins over --allow (repeatable)'
            cand --only 'Exactly the skill of this name (repeatable)'
            cand --exclude 'Do not enter directories whose path below the source matches (repeatable)'
            cand --max-depth 'Search at most N levels below a source'
            cand --param 'Set a parameter of the manifest (repeatable)'
            cand --expand 'Expand a section of the manifest, or a skill of a prompt (repeatable)'
            cand --agent 'For this agent, or all [default: the one that the command is, else claude] (repeatable)'
            cand --home 'Make the home here, where nothing is yet [default: below TMPDIR]'
            cand --prefix 'How the name of a temporary home begins [default: agent-]'
            cand --with 'Link a path of the real home as well (repeatable)'
            cand --auth 'How logins get there'
            cand --max-skill-size 'The most one skill may have [default: 10MiB]'
            cand --max-total-size 'The most all skills may have together [default: 50MiB]'
            cand --events 'Append what was installed to FILE, one JSON object a line (- for standard output)'
            cand --prompt 'Write what stays in the prompt to FILE, as `skills render --prompt-only` does'
            cand --format 'What to print, without a command'
            cand --shell 'The shell that --format env is for'
            cand --color 'When to use colour'
            cand -C 'Work as if started in DIR'
            cand --directory 'Work as if started in DIR'
            cand --frozen 'Take nothing but what skills.lock says, from the cache where it is there'
            cand --keep 'Leave the home when the command has ended'
            cand --allow-host-skills 'Even where the agent would see skills of the real home'
            cand --no-validate 'Install skills that break rules, but for those of safety'
            cand --follow-symlinks 'Copy what links lead to, when that lies inside the source'
            cand --read-only 'Make copies that nobody can write to'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more: notes, then logs (repeatable)'
            cand --verbose 'Say more: notes, then logs (repeatable)'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;unmount'= {
            cand --older-than 'Also homes without a command that are older: 90s, 30m, 12h, 7d'
            cand --color 'When to use colour'
            cand -C 'Work as if started in DIR'
            cand --directory 'Work as if started in DIR'
            cand --stale 'Remove homes below TMPDIR whose run was killed'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more: notes, then logs (repeatable)'
            cand --verbose 'Say more: notes, then logs (repeatable)'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;pack'= {
            cand -o 'Write to this directory, or, of one skill, to this .skill or .zip file [default: here]'
            cand --output 'Write to this directory, or, of one skill, to this .skill or .zip file [default: here]'
            cand --include 'Pack files that are left out otherwise (repeatable)'
            cand --exclude 'Leave these files out (repeatable)'
            cand --format 'How to print what was done'
            cand --color 'When to use colour'
            cand -C 'Work as if started in DIR'
            cand --directory 'Work as if started in DIR'
            cand --no-validate 'Pack skills that break rules, but for those of safety'
            cand --force 'Replace archives that are different'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more: notes, then logs (repeatable)'
            cand --verbose 'Say more: notes, then logs (repeatable)'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;lock'= {
            cand --manifest 'The manifest whose sources are meant [default: skills.yaml]'
            cand --param 'Set a parameter of the manifest (repeatable)'
            cand --format 'How to print what is different'
            cand --upgrade 'Take sources as they are now: all, or those that are called or give NAME'
            cand --color 'When to use colour'
            cand -C 'Work as if started in DIR'
            cand --directory 'Work as if started in DIR'
            cand -n 'Say what would change, and write nothing'
            cand --dry-run 'Say what would change, and write nothing'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more: notes, then logs (repeatable)'
            cand --verbose 'Say more: notes, then logs (repeatable)'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;outdated'= {
            cand --manifest 'The manifest whose sources are meant [default: skills.yaml]'
            cand --param 'Set a parameter of the manifest (repeatable)'
            cand --format 'How to print what is different'
            cand --color 'When to use colour'
            cand -C 'Work as if started in DIR'
            cand --directory 'Work as if started in DIR'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more: notes, then logs (repeatable)'
            cand --verbose 'Say more: notes, then logs (repeatable)'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;init'= {
            cand --description 'What the skill does and when to use it'
            cand --dir 'Where to make the skill''s directory'
            cand --color 'When to use colour'
            cand -C 'Work as if started in DIR'
            cand --directory 'Work as if started in DIR'
            cand --manifest 'Write a commented skills.yaml instead of a skill'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more: notes, then logs (repeatable)'
            cand --verbose 'Say more: notes, then logs (repeatable)'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;explain'= {
            cand --color 'When to use colour'
            cand -C 'Work as if started in DIR'
            cand --directory 'Work as if started in DIR'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more: notes, then logs (repeatable)'
            cand --verbose 'Say more: notes, then logs (repeatable)'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;rules'= {
            cand --format 'How to print them'
            cand --color 'When to use colour'
            cand -C 'Work as if started in DIR'
            cand --directory 'Work as if started in DIR'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more: notes, then logs (repeatable)'
            cand --verbose 'Say more: notes, then logs (repeatable)'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;schema'= {
            cand --color 'When to use colour'
            cand -C 'Work as if started in DIR'
            cand --directory 'Work as if started in DIR'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more: notes, then logs (repeatable)'
            cand --verbose 'Say more: notes, then logs (repeatable)'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;completions'= {
            cand --color 'When to use colour'
            cand -C 'Work as if started in DIR'
            cand --directory 'Work as if started in DIR'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more: notes, then logs (repeatable)'
            cand --verbose 'Say more: notes, then logs (repeatable)'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;man'= {
            cand --dir 'Write one page for every command to DIR'
            cand --color 'When to use colour'
            cand -C 'Work as if started in DIR'
            cand --directory 'Work as if started in DIR'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Say more: notes, then logs (repeatable)'
            cand --verbose 'Say more: notes, then logs (repeatable)'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;help'= {
            cand validate 'Check skills against the specification and against what agents really do'
            cand list 'List skills: what is there, who sees it, and why not'
            cand render 'Print what a model gets to see of skills'
            cand read 'Print one file of a skill'
            cand install 'Copy skills to where agents find them, all of them or none'
            cand remove 'Remove skills that were installed'
            cand verify 'Check installed skills against what was recorded when they were installed'
            cand mount 'Make a temporary home with these skills and no others, and run an agent there'
            cand unmount 'Remove homes that `skills mount` made'
            cand pack 'Make a .skill archive of each skill, the same bytes on any machine'
            cand lock 'Write down which commits and digests the sources of a manifest have'
            cand outdated 'Say what `skills lock --upgrade` would change'
            cand init 'Start a new skill that validates clean'
            cand explain 'Say what a rule checks, why, and how to satisfy it'
            cand rules 'List all rules'
            cand schema 'Print the JSON Schema of skills.yaml'
            cand completions 'Print a completion script for a shell'
            cand man 'Print the manual page, or write all of them to a directory'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'skills;help;validate'= {
        }
        &'skills;help;list'= {
        }
        &'skills;help;render'= {
        }
        &'skills;help;read'= {
        }
        &'skills;help;install'= {
        }
        &'skills;help;remove'= {
        }
        &'skills;help;verify'= {
        }
        &'skills;help;mount'= {
        }
        &'skills;help;unmount'= {
        }
        &'skills;help;pack'= {
        }
        &'skills;help;lock'= {
        }
        &'skills;help;outdated'= {
        }
        &'skills;help;init'= {
        }
        &'skills;help;explain'= {
        }
        &'skills;help;rules'= {
        }
        &'skills;help;schema'= {
        }
        &'skills;help;completions'= {
        }
        &'skills;help;man'= {
        }
        &'skills;help;help'= {
        }
    ]
    $completions[$command]
}
