
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
            cand -o 'Write the chosen format to FILE (not -), and human text to the terminal'
            cand --output 'Write the chosen format to FILE (not -), and human text to the terminal'
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
            cand --trust-manifest 'Let the manifest choose programs, endpoints and secrets for the agent'
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
    var values = [
        &'validate --format'= ['human' 'json' 'sarif' 'github' 'junit']
        &'validate --agent'= ['claude' 'codex' 'opencode' 'copilot' 'gemini' 'pi']
        &'validate --rule'= ['missing-skill-md=off' 'missing-skill-md=note' 'missing-skill-md=warning' 'missing-skill-md=error' 'skill-md-case=off' 'skill-md-case=note' 'skill-md-case=warning' 'skill-md-case=error' 'not-utf8=off' 'not-utf8=note' 'not-utf8=warning' 'not-utf8=error' 'control-character=off' 'control-character=note' 'control-character=warning' 'control-character=error' 'byte-order-mark=off' 'byte-order-mark=note' 'byte-order-mark=warning' 'byte-order-mark=error' 'file-too-large=off' 'file-too-large=note' 'file-too-large=warning' 'file-too-large=error' 'skill-too-large=off' 'skill-too-large=note' 'skill-too-large=warning' 'skill-too-large=error' 'missing-frontmatter=off' 'missing-frontmatter=note' 'missing-frontmatter=warning' 'missing-frontmatter=error' 'unclosed-frontmatter=off' 'unclosed-frontmatter=note' 'unclosed-frontmatter=warning' 'unclosed-frontmatter=error' 'invalid-yaml=off' 'invalid-yaml=note' 'invalid-yaml=warning' 'invalid-yaml=error' 'duplicate-key=off' 'duplicate-key=note' 'duplicate-key=warning' 'duplicate-key=error' 'field-type=off' 'field-type=note' 'field-type=warning' 'field-type=error' 'missing-name=off' 'missing-name=note' 'missing-name=warning' 'missing-name=error' 'name-format=off' 'name-format=note' 'name-format=warning' 'name-format=error' 'name-too-long=off' 'name-too-long=note' 'name-too-long=warning' 'name-too-long=error' 'name-directory-mismatch=off' 'name-directory-mismatch=note' 'name-directory-mismatch=warning' 'name-directory-mismatch=error' 'missing-description=off' 'missing-description=note' 'missing-description=warning' 'missing-description=error' 'description-empty=off' 'description-empty=note' 'description-empty=warning' 'description-empty=error' 'description-too-long=off' 'description-too-long=note' 'description-too-long=warning' 'description-too-long=error' 'compatibility-length=off' 'compatibility-length=note' 'compatibility-length=warning' 'compatibility-length=error' 'metadata-type=off' 'metadata-type=note' 'metadata-type=warning' 'metadata-type=error' 'duplicate-name=off' 'duplicate-name=note' 'duplicate-name=warning' 'duplicate-name=error' 'symlink=off' 'symlink=note' 'symlink=warning' 'symlink=error' 'special-file=off' 'special-file=note' 'special-file=warning' 'special-file=error' 'name-collision=off' 'name-collision=note' 'name-collision=warning' 'name-collision=error' 'unsafe-file-name=off' 'unsafe-file-name=note' 'unsafe-file-name=warning' 'unsafe-file-name=error' 'hidden-unicode=off' 'hidden-unicode=note' 'hidden-unicode=warning' 'hidden-unicode=error' 'confusable-letters=off' 'confusable-letters=note' 'confusable-letters=warning' 'confusable-letters=error' 'xml-in-description=off' 'xml-in-description=note' 'xml-in-description=warning' 'xml-in-description=error' 'reserved-name=off' 'reserved-name=note' 'reserved-name=warning' 'reserved-name=error' 'unknown-field=off' 'unknown-field=note' 'unknown-field=warning' 'unknown-field=error' 'metadata-value=off' 'metadata-value=note' 'metadata-value=warning' 'metadata-value=error' 'nested-skill=off' 'nested-skill=note' 'nested-skill=warning' 'nested-skill=error' 'empty-body=off' 'empty-body=note' 'empty-body=warning' 'empty-body=error' 'body-too-long=off' 'body-too-long=note' 'body-too-long=warning' 'body-too-long=error' 'broken-link=off' 'broken-link=note' 'broken-link=warning' 'broken-link=error' 'link-escapes-skill=off' 'link-escapes-skill=note' 'link-escapes-skill=warning' 'link-escapes-skill=error' 'broad-tools=off' 'broad-tools=note' 'broad-tools=warning' 'broad-tools=error' 'secret-in-file=off' 'secret-in-file=note' 'secret-in-file=warning' 'secret-in-file=error' 'version-control-files=off' 'version-control-files=note' 'version-control-files=warning' 'version-control-files=error' 'obfuscated-command=off' 'obfuscated-command=note' 'obfuscated-command=warning' 'obfuscated-command=error' 'paste-site-link=off' 'paste-site-link=note' 'paste-site-link=warning' 'paste-site-link=error' 'portable-file-name=off' 'portable-file-name=note' 'portable-file-name=warning' 'portable-file-name=error' 'agent-compat=off' 'agent-compat=note' 'agent-compat=warning' 'agent-compat=error' 'allowed-tools-format=off' 'allowed-tools-format=note' 'allowed-tools-format=warning' 'allowed-tools-format=error' 'script-not-executable=off' 'script-not-executable=note' 'script-not-executable=warning' 'script-not-executable=error' 'pipe-to-shell=off' 'pipe-to-shell=note' 'pipe-to-shell=warning' 'pipe-to-shell=error' 'description-when=off' 'description-when=note' 'description-when=warning' 'description-when=error']
        &'validate --color'= ['auto' 'always' 'never']
        &'list --source'= ['omp' 'claude' 'claude-plugins' 'agents' 'codex' 'opencode' 'github' 'copilot' 'gemini' 'pi' 'goose' 'openclaw' 'amp' 'cursor' 'omp-managed' 'custom']
        &'list --no-source'= ['omp' 'claude' 'claude-plugins' 'agents' 'codex' 'opencode' 'github' 'copilot' 'gemini' 'pi' 'goose' 'openclaw' 'amp' 'cursor' 'omp-managed' 'custom']
        &'list --agent'= ['claude' 'codex' 'opencode' 'copilot' 'gemini' 'pi']
        &'list --format'= ['human' 'json' 'names' 'paths']
        &'list --color'= ['auto' 'always' 'never']
        &'render --format'= ['xml' 'markdown' 'json']
        &'render --visibility'= ['full' 'summary']
        &'render --as'= ['claude' 'codex' 'opencode' 'copilot' 'gemini' 'pi']
        &'render --color'= ['auto' 'always' 'never']
        &'read --format'= ['human' 'json']
        &'read --color'= ['auto' 'always' 'never']
        &'install --agent'= ['claude' 'codex' 'opencode' 'copilot' 'gemini' 'pi' 'adal' 'aider-desk' 'amp' 'antigravity' 'antigravity-cli' 'astrbot' 'augment' 'autohand-code' 'bob' 'cline' 'codearts-agent' 'codebuddy' 'codemaker' 'codestudio' 'command-code' 'continue' 'cortex' 'crush' 'cursor' 'deepagents' 'devin' 'dexto' 'droid' 'firebender' 'forgecode' 'fx' 'grok' 'hermes-agent' 'iflow-cli' 'inference-sh' 'jazz' 'junie' 'kilo' 'kimchi' 'kimi-code-cli' 'kiro-cli' 'kode' 'lingma' 'loaf' 'mcpjam' 'minimax-code' 'mistral-vibe' 'moxby' 'mux' 'neovate' 'ona' 'openhands' 'pochi' 'posit-assistant' 'qoder' 'qoder-cn' 'qwen-code' 'reasonix' 'replit' 'roo' 'rovodev' 'sarvam-code' 'tabnine-cli' 'terramind' 'tinycloud' 'trae' 'trae-cn' 'warp' 'windsurf' 'zcode' 'zed' 'zencoder' 'zenflow']
        &'install --scope'= ['user' 'project']
        &'install --format'= ['human' 'json']
        &'install --color'= ['auto' 'always' 'never']
        &'remove --agent'= ['claude' 'codex' 'opencode' 'copilot' 'gemini' 'pi' 'adal' 'aider-desk' 'amp' 'antigravity' 'antigravity-cli' 'astrbot' 'augment' 'autohand-code' 'bob' 'cline' 'codearts-agent' 'codebuddy' 'codemaker' 'codestudio' 'command-code' 'continue' 'cortex' 'crush' 'cursor' 'deepagents' 'devin' 'dexto' 'droid' 'firebender' 'forgecode' 'fx' 'grok' 'hermes-agent' 'iflow-cli' 'inference-sh' 'jazz' 'junie' 'kilo' 'kimchi' 'kimi-code-cli' 'kiro-cli' 'kode' 'lingma' 'loaf' 'mcpjam' 'minimax-code' 'mistral-vibe' 'moxby' 'mux' 'neovate' 'ona' 'openhands' 'pochi' 'posit-assistant' 'qoder' 'qoder-cn' 'qwen-code' 'reasonix' 'replit' 'roo' 'rovodev' 'sarvam-code' 'tabnine-cli' 'terramind' 'tinycloud' 'trae' 'trae-cn' 'warp' 'windsurf' 'zcode' 'zed' 'zencoder' 'zenflow']
        &'remove --scope'= ['user' 'project']
        &'remove --format'= ['human' 'json']
        &'remove --color'= ['auto' 'always' 'never']
        &'verify --agent'= ['claude' 'codex' 'opencode' 'copilot' 'gemini' 'pi' 'adal' 'aider-desk' 'amp' 'antigravity' 'antigravity-cli' 'astrbot' 'augment' 'autohand-code' 'bob' 'cline' 'codearts-agent' 'codebuddy' 'codemaker' 'codestudio' 'command-code' 'continue' 'cortex' 'crush' 'cursor' 'deepagents' 'devin' 'dexto' 'droid' 'firebender' 'forgecode' 'fx' 'grok' 'hermes-agent' 'iflow-cli' 'inference-sh' 'jazz' 'junie' 'kilo' 'kimchi' 'kimi-code-cli' 'kiro-cli' 'kode' 'lingma' 'loaf' 'mcpjam' 'minimax-code' 'mistral-vibe' 'moxby' 'mux' 'neovate' 'ona' 'openhands' 'pochi' 'posit-assistant' 'qoder' 'qoder-cn' 'qwen-code' 'reasonix' 'replit' 'roo' 'rovodev' 'sarvam-code' 'tabnine-cli' 'terramind' 'tinycloud' 'trae' 'trae-cn' 'warp' 'windsurf' 'zcode' 'zed' 'zencoder' 'zenflow']
        &'verify --scope'= ['user' 'project']
        &'verify --format'= ['human' 'json']
        &'verify --color'= ['auto' 'always' 'never']
        &'mount --agent'= ['claude' 'codex' 'opencode' 'copilot' 'gemini' 'pi' 'all']
        &'mount --auth'= ['link' 'copy' 'none']
        &'mount --format'= ['path' 'env' 'json']
        &'mount --shell'= ['sh' 'fish' 'powershell']
        &'mount --color'= ['auto' 'always' 'never']
        &'unmount --color'= ['auto' 'always' 'never']
        &'pack --format'= ['human' 'json']
        &'pack --color'= ['auto' 'always' 'never']
        &'lock --format'= ['human' 'json']
        &'lock --color'= ['auto' 'always' 'never']
        &'outdated --format'= ['human' 'json']
        &'outdated --color'= ['auto' 'always' 'never']
        &'init --color'= ['auto' 'always' 'never']
        &'explain explain'= ['missing-skill-md' 'skill-md-case' 'not-utf8' 'control-character' 'byte-order-mark' 'file-too-large' 'skill-too-large' 'missing-frontmatter' 'unclosed-frontmatter' 'invalid-yaml' 'duplicate-key' 'field-type' 'missing-name' 'name-format' 'name-too-long' 'name-directory-mismatch' 'missing-description' 'description-empty' 'description-too-long' 'compatibility-length' 'metadata-type' 'duplicate-name' 'symlink' 'special-file' 'name-collision' 'unsafe-file-name' 'hidden-unicode' 'confusable-letters' 'xml-in-description' 'reserved-name' 'unknown-field' 'metadata-value' 'nested-skill' 'empty-body' 'body-too-long' 'broken-link' 'link-escapes-skill' 'broad-tools' 'secret-in-file' 'version-control-files' 'obfuscated-command' 'paste-site-link' 'portable-file-name' 'agent-compat' 'allowed-tools-format' 'script-not-executable' 'pipe-to-shell' 'description-when']
        &'explain --color'= ['auto' 'always' 'never']
        &'rules --format'= ['human' 'json' 'markdown']
        &'rules --color'= ['auto' 'always' 'never']
        &'schema --color'= ['auto' 'always' 'never']
        &'completions completions'= ['bash' 'elvish' 'fish' 'powershell' 'zsh']
        &'completions --color'= ['auto' 'always' 'never']
        &'man --color'= ['auto' 'always' 'never']
    ]
    var key = ''
    if (> (count $words) 2) {
        set key = $words[1]' '$words[-2]
    }
    if (has-key $values $key) {
        all $values[$key]
    } elif (has-key $completions $command) {
        $completions[$command]
    } else {
        edit:complete-filename $@words
    }
}
