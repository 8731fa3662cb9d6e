
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
            cand --color 'Choose when to use colour'
            cand -C 'Run as if started in DIR'
            cand --directory 'Run as if started in DIR'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Print notes too; repeat to print logs'
            cand --verbose 'Print notes too; repeat to print logs'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand validate 'Check skills against the specification and the behaviour of real agents'
            cand list 'List skills, and show which ones agents load and why others are missing'
            cand render 'Print the catalogue of skills that a model sees'
            cand read 'Print one file of a skill'
            cand install 'Copy skills into the directories where agents look for them'
            cand remove 'Remove installed skills'
            cand verify 'Find installed skills that changed since they were installed'
            cand mount 'Create a temporary home with only these skills, and run an agent in it'
            cand unmount 'Remove homes created by `skills mount`'
            cand pack 'Pack each skill into a reproducible .skill archive'
            cand lock 'Pin the sources of a manifest to commits and digests'
            cand outdated 'Show what `skills lock --upgrade` would change'
            cand init 'Create a skill that passes validation'
            cand explain 'Explain what a rule checks, why, and how to satisfy it'
            cand rules 'List all rules'
            cand schema 'Print the JSON Schema of skills.yaml'
            cand completions 'Print a shell completion script'
            cand man 'Print the manual page, or write one page per command'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'skills;validate'= {
            cand --manifest 'Read sources, filters and rules from FILE [default: skills.yaml, without SOURCES]'
            cand --allow 'Select only skills whose names match (repeatable)'
            cand --deny 'Leave out skills whose names match; overrides --allow (repeatable)'
            cand --only 'Select the skill with exactly this name (repeatable)'
            cand --exclude 'Skip directories whose paths below the source match (repeatable)'
            cand --max-depth 'Search at most N levels below a source'
            cand --param 'Set a manifest parameter (repeatable)'
            cand --expand 'Expand a section of the manifest or a skill in the prompt (repeatable)'
            cand --format 'Output format'
            cand -o 'Write the chosen format to FILE (not -), and text to the terminal'
            cand --output 'Write the chosen format to FILE (not -), and text to the terminal'
            cand --agent 'Also report what this agent does with each skill (repeatable)'
            cand --rule 'Set the level of a rule: off, note, warning or error (repeatable)'
            cand --color 'Choose when to use colour'
            cand -C 'Run as if started in DIR'
            cand --directory 'Run as if started in DIR'
            cand --frozen 'Use exactly what skills.lock pins, from the cache if possible'
            cand --strict 'Fail on warnings, and report fields outside the specification as errors'
            cand --deep 'Search every file of a skill for secrets, hidden text and dangerous commands'
            cand --fix 'Repair errors and warnings where the repair is certain; all: notes too'
            cand --diff 'Print what --fix would change, as a diff for patch -p1 or git apply'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Print notes too; repeat to print logs'
            cand --verbose 'Print notes too; repeat to print logs'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;list'= {
            cand --manifest 'Read sources, filters and rules from FILE [default: skills.yaml, without SOURCES]'
            cand --allow 'Select only skills whose names match (repeatable)'
            cand --deny 'Leave out skills whose names match; overrides --allow (repeatable)'
            cand --only 'Select the skill with exactly this name (repeatable)'
            cand --exclude 'Skip directories whose paths below the source match (repeatable)'
            cand --max-depth 'Search at most N levels below a source'
            cand --param 'Set a manifest parameter (repeatable)'
            cand --expand 'Expand a section of the manifest or a skill in the prompt (repeatable)'
            cand --source 'Search only these providers: claude, agents:project, … (repeatable)'
            cand --no-source 'Skip these providers (repeatable)'
            cand --skills-dir 'Also search DIR, one level deep (repeatable)'
            cand --agent 'List exactly what this agent shows its model; with -v, also what it drops and why'
            cand --format 'Output format'
            cand --color 'Choose when to use colour'
            cand -C 'Run as if started in DIR'
            cand --directory 'Run as if started in DIR'
            cand --frozen 'Use exactly what skills.lock pins, from the cache if possible'
            cand --discover 'List the skills that agents find on this machine, even if skills.yaml exists'
            cand -l 'Also show files, bytes, tokens, path and digest'
            cand --long 'Also show files, bytes, tokens, path and digest'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Print notes too; repeat to print logs'
            cand --verbose 'Print notes too; repeat to print logs'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;render'= {
            cand --manifest 'Read sources, filters and rules from FILE [default: skills.yaml, without SOURCES]'
            cand --allow 'Select only skills whose names match (repeatable)'
            cand --deny 'Leave out skills whose names match; overrides --allow (repeatable)'
            cand --only 'Select the skill with exactly this name (repeatable)'
            cand --exclude 'Skip directories whose paths below the source match (repeatable)'
            cand --max-depth 'Search at most N levels below a source'
            cand --param 'Set a manifest parameter (repeatable)'
            cand --expand 'Expand a section of the manifest or a skill in the prompt (repeatable)'
            cand --format 'Output format'
            cand --visibility 'Show full entries, or only names and summaries'
            cand --mount-path 'Say that skills are below this relative path'
            cand --events 'Append events to FILE, one JSON object per line (- for standard output)'
            cand --preload 'Render this skill in full instead of a catalogue (repeatable)'
            cand --activate 'Render one skill as an agent loads it: its text, directory and files'
            cand --user 'Add the user''s request to the activated skill'
            cand --as 'Render the listing that this agent shows its model; with -v, also its tokens'
            cand --color 'Choose when to use colour'
            cand -C 'Run as if started in DIR'
            cand --directory 'Run as if started in DIR'
            cand --frozen 'Use exactly what skills.lock pins, from the cache if possible'
            cand --no-instructions 'Leave out the instructions for using skills'
            cand --nested 'Include skills nested inside other skills'
            cand --prompt-only 'Render only skills with tools, which stay in the prompt when the rest are mounted'
            cand --sections 'Render every skill as a section of the prompt, with or without tools'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Print notes too; repeat to print logs'
            cand --verbose 'Print notes too; repeat to print logs'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;read'= {
            cand --skills-dir 'Search DIR, one level deep (repeatable)'
            cand --format 'Output format'
            cand --color 'Choose when to use colour'
            cand -C 'Run as if started in DIR'
            cand --directory 'Run as if started in DIR'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Print notes too; repeat to print logs'
            cand --verbose 'Print notes too; repeat to print logs'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;install'= {
            cand --manifest 'Read sources, filters and rules from FILE [default: skills.yaml, without SOURCES]'
            cand --allow 'Select only skills whose names match (repeatable)'
            cand --deny 'Leave out skills whose names match; overrides --allow (repeatable)'
            cand --only 'Select the skill with exactly this name (repeatable)'
            cand --exclude 'Skip directories whose paths below the source match (repeatable)'
            cand --max-depth 'Search at most N levels below a source'
            cand --param 'Set a manifest parameter (repeatable)'
            cand --expand 'Expand a section of the manifest or a skill in the prompt (repeatable)'
            cand --agent 'Use the skills directory of this agent, such as codex [default: claude] (repeatable)'
            cand --scope 'Use the skills directory of the user or of the current repository'
            cand --home 'Use DIR as the home directory'
            cand --dir 'Use DIR as the skills directory, whichever agent reads it'
            cand --lock-timeout 'Wait at most this long for another run to finish'
            cand --format 'Output format'
            cand --max-skill-size 'Maximum size of one skill [default: 10MiB]'
            cand --max-total-size 'Maximum size of all skills together [default: 50MiB]'
            cand --events 'Append events to FILE, one JSON object per line (- for standard output)'
            cand --color 'Choose when to use colour'
            cand -C 'Run as if started in DIR'
            cand --directory 'Run as if started in DIR'
            cand --frozen 'Use exactly what skills.lock pins, from the cache if possible'
            cand -n 'Show what would happen, and write nothing'
            cand --dry-run 'Show what would happen, and write nothing'
            cand --force 'Replace skills that differ, were edited or come from elsewhere; back up edited ones'
            cand --no-sync 'Do not wait until the files have reached the disk'
            cand --nested 'Include skills nested inside other skills'
            cand --no-skip 'Fail if any skill would be skipped'
            cand --strict 'Fail on any error that `skills validate` reports'
            cand --no-validate 'Skip all rules except the safety rules'
            cand --follow-symlinks 'Copy the targets of links that stay inside the source'
            cand --read-only 'Make the copies read-only'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Print notes too; repeat to print logs'
            cand --verbose 'Print notes too; repeat to print logs'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;remove'= {
            cand --agent 'Use the skills directory of this agent, such as codex [default: claude] (repeatable)'
            cand --scope 'Use the skills directory of the user or of the current repository'
            cand --home 'Use DIR as the home directory'
            cand --dir 'Use DIR as the skills directory, whichever agent reads it'
            cand --lock-timeout 'Wait at most this long for another run to finish'
            cand --format 'Output format'
            cand --color 'Choose when to use colour'
            cand -C 'Run as if started in DIR'
            cand --directory 'Run as if started in DIR'
            cand -n 'Show what would happen, and write nothing'
            cand --dry-run 'Show what would happen, and write nothing'
            cand --no-sync 'Do not wait until the files have reached the disk'
            cand --force 'Remove skills that were edited or come from elsewhere, and keep a backup'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Print notes too; repeat to print logs'
            cand --verbose 'Print notes too; repeat to print logs'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;verify'= {
            cand --agent 'Use the skills directory of this agent, such as codex [default: claude] (repeatable)'
            cand --scope 'Use the skills directory of the user or of the current repository'
            cand --home 'Use DIR as the home directory'
            cand --dir 'Use DIR as the skills directory, whichever agent reads it'
            cand --manifest 'Also compare with the lock of this manifest [default: skills.yaml, if it has a lock]'
            cand --format 'Output format'
            cand --color 'Choose when to use colour'
            cand -C 'Run as if started in DIR'
            cand --directory 'Run as if started in DIR'
            cand --frozen 'Require every locked skill to be installed exactly as locked'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Print notes too; repeat to print logs'
            cand --verbose 'Print notes too; repeat to print logs'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;mount'= {
            cand --manifest 'Read sources, filters and rules from FILE [default: skills.yaml, without SOURCES]'
            cand --allow 'Select only skills whose names match (repeatable)'
            cand --deny 'Leave out skills whose names match; overrides --allow (repeatable)'
            cand --only 'Select the skill with exactly this name (repeatable)'
            cand --exclude 'Skip directories whose paths below the source match (repeatable)'
            cand --max-depth 'Search at most N levels below a source'
            cand --param 'Set a manifest parameter (repeatable)'
            cand --expand 'Expand a section of the manifest or a skill in the prompt (repeatable)'
            cand --agent 'Mount for this agent, or all [default: the agent in COMMAND, else claude] (repeatable)'
            cand --home 'Create the home in DIR, which must be absent or empty [default: below TMPDIR]'
            cand --prefix 'Start the name of a temporary home with PREFIX [default: agent-]'
            cand --with 'Link another path of the real home (repeatable)'
            cand --auth 'Choose how to provide logins'
            cand --max-skill-size 'Maximum size of one skill [default: 10MiB]'
            cand --max-total-size 'Maximum size of all skills together [default: 50MiB]'
            cand --events 'Append events to FILE, one JSON object per line (- for standard output)'
            cand --prompt 'Write the output of `skills render --prompt-only` to FILE'
            cand --format 'Output format when no command is given'
            cand --shell 'Shell for --format env'
            cand --color 'Choose when to use colour'
            cand -C 'Run as if started in DIR'
            cand --directory 'Run as if started in DIR'
            cand --frozen 'Use exactly what skills.lock pins, from the cache if possible'
            cand --keep 'Keep the home after the command ends'
            cand --allow-host-skills 'Run even if the agent can see skills of the real home'
            cand --trust-manifest 'Let the manifest set variables that choose programs, endpoints and secrets'
            cand --nested 'Include skills nested inside other skills'
            cand --no-skip 'Fail if any skill would be skipped'
            cand --strict 'Fail on any error that `skills validate` reports'
            cand --no-validate 'Skip all rules except the safety rules'
            cand --follow-symlinks 'Copy the targets of links that stay inside the source'
            cand --read-only 'Make the copies read-only'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Print notes too; repeat to print logs'
            cand --verbose 'Print notes too; repeat to print logs'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;unmount'= {
            cand --older-than 'Also remove homes mounted without a command before AGE: 90s, 30m, 12h, 7d'
            cand --color 'Choose when to use colour'
            cand -C 'Run as if started in DIR'
            cand --directory 'Run as if started in DIR'
            cand --stale 'Remove homes below TMPDIR whose run was killed'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Print notes too; repeat to print logs'
            cand --verbose 'Print notes too; repeat to print logs'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;pack'= {
            cand -o 'Write to this directory or, for one skill, to this .skill or .zip file [default: .]'
            cand --output 'Write to this directory or, for one skill, to this .skill or .zip file [default: .]'
            cand --include 'Include files that are left out by default (repeatable)'
            cand --exclude 'Leave out files that match (repeatable)'
            cand --format 'Output format'
            cand --color 'Choose when to use colour'
            cand -C 'Run as if started in DIR'
            cand --directory 'Run as if started in DIR'
            cand --nested 'Include skills nested inside other skills'
            cand --no-validate 'Skip all rules except the safety rules'
            cand --force 'Replace archives that differ'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Print notes too; repeat to print logs'
            cand --verbose 'Print notes too; repeat to print logs'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;lock'= {
            cand --manifest 'Read the sources from this manifest [default: skills.yaml]'
            cand --param 'Set a manifest parameter (repeatable)'
            cand --format 'Output format'
            cand --upgrade 'Upgrade all sources, or only those that are named NAME or provide skill NAME'
            cand --color 'Choose when to use colour'
            cand -C 'Run as if started in DIR'
            cand --directory 'Run as if started in DIR'
            cand -n 'Show what would change, and write nothing'
            cand --dry-run 'Show what would change, and write nothing'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Print notes too; repeat to print logs'
            cand --verbose 'Print notes too; repeat to print logs'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;outdated'= {
            cand --manifest 'Read the sources from this manifest [default: skills.yaml]'
            cand --param 'Set a manifest parameter (repeatable)'
            cand --format 'Output format'
            cand --color 'Choose when to use colour'
            cand -C 'Run as if started in DIR'
            cand --directory 'Run as if started in DIR'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Print notes too; repeat to print logs'
            cand --verbose 'Print notes too; repeat to print logs'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;init'= {
            cand --description 'Describe what the skill does and when to use it'
            cand --dir 'Create the skill''s directory in DIR'
            cand --color 'Choose when to use colour'
            cand -C 'Run as if started in DIR'
            cand --directory 'Run as if started in DIR'
            cand --manifest 'Write a commented skills.yaml instead of a skill'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Print notes too; repeat to print logs'
            cand --verbose 'Print notes too; repeat to print logs'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;explain'= {
            cand --color 'Choose when to use colour'
            cand -C 'Run as if started in DIR'
            cand --directory 'Run as if started in DIR'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Print notes too; repeat to print logs'
            cand --verbose 'Print notes too; repeat to print logs'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;rules'= {
            cand --format 'Output format'
            cand --color 'Choose when to use colour'
            cand -C 'Run as if started in DIR'
            cand --directory 'Run as if started in DIR'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Print notes too; repeat to print logs'
            cand --verbose 'Print notes too; repeat to print logs'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;schema'= {
            cand --color 'Choose when to use colour'
            cand -C 'Run as if started in DIR'
            cand --directory 'Run as if started in DIR'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Print notes too; repeat to print logs'
            cand --verbose 'Print notes too; repeat to print logs'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;completions'= {
            cand --color 'Choose when to use colour'
            cand -C 'Run as if started in DIR'
            cand --directory 'Run as if started in DIR'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Print notes too; repeat to print logs'
            cand --verbose 'Print notes too; repeat to print logs'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;man'= {
            cand --dir 'Write one page per command to DIR'
            cand --color 'Choose when to use colour'
            cand -C 'Run as if started in DIR'
            cand --directory 'Run as if started in DIR'
            cand -q 'Print results and errors only'
            cand --quiet 'Print results and errors only'
            cand -v 'Print notes too; repeat to print logs'
            cand --verbose 'Print notes too; repeat to print logs'
            cand --no-progress 'Never show a progress bar'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skills;help'= {
            cand validate 'Check skills against the specification and the behaviour of real agents'
            cand list 'List skills, and show which ones agents load and why others are missing'
            cand render 'Print the catalogue of skills that a model sees'
            cand read 'Print one file of a skill'
            cand install 'Copy skills into the directories where agents look for them'
            cand remove 'Remove installed skills'
            cand verify 'Find installed skills that changed since they were installed'
            cand mount 'Create a temporary home with only these skills, and run an agent in it'
            cand unmount 'Remove homes created by `skills mount`'
            cand pack 'Pack each skill into a reproducible .skill archive'
            cand lock 'Pin the sources of a manifest to commits and digests'
            cand outdated 'Show what `skills lock --upgrade` would change'
            cand init 'Create a skill that passes validation'
            cand explain 'Explain what a rule checks, why, and how to satisfy it'
            cand rules 'List all rules'
            cand schema 'Print the JSON Schema of skills.yaml'
            cand completions 'Print a shell completion script'
            cand man 'Print the manual page, or write one page per command'
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
        &'validate --rule'= ['missing-skill-md=off' 'missing-skill-md=note' 'missing-skill-md=warning' 'missing-skill-md=error' 'skill-md-case=off' 'skill-md-case=note' 'skill-md-case=warning' 'skill-md-case=error' 'not-utf8=off' 'not-utf8=note' 'not-utf8=warning' 'not-utf8=error' 'control-character=off' 'control-character=note' 'control-character=warning' 'control-character=error' 'byte-order-mark=off' 'byte-order-mark=note' 'byte-order-mark=warning' 'byte-order-mark=error' 'file-too-large=off' 'file-too-large=note' 'file-too-large=warning' 'file-too-large=error' 'skill-too-large=off' 'skill-too-large=note' 'skill-too-large=warning' 'skill-too-large=error' 'missing-frontmatter=off' 'missing-frontmatter=note' 'missing-frontmatter=warning' 'missing-frontmatter=error' 'unclosed-frontmatter=off' 'unclosed-frontmatter=note' 'unclosed-frontmatter=warning' 'unclosed-frontmatter=error' 'invalid-yaml=off' 'invalid-yaml=note' 'invalid-yaml=warning' 'invalid-yaml=error' 'duplicate-key=off' 'duplicate-key=note' 'duplicate-key=warning' 'duplicate-key=error' 'field-type=off' 'field-type=note' 'field-type=warning' 'field-type=error' 'missing-name=off' 'missing-name=note' 'missing-name=warning' 'missing-name=error' 'name-format=off' 'name-format=note' 'name-format=warning' 'name-format=error' 'name-too-long=off' 'name-too-long=note' 'name-too-long=warning' 'name-too-long=error' 'name-directory-mismatch=off' 'name-directory-mismatch=note' 'name-directory-mismatch=warning' 'name-directory-mismatch=error' 'missing-description=off' 'missing-description=note' 'missing-description=warning' 'missing-description=error' 'description-empty=off' 'description-empty=note' 'description-empty=warning' 'description-empty=error' 'description-too-long=off' 'description-too-long=note' 'description-too-long=warning' 'description-too-long=error' 'compatibility-length=off' 'compatibility-length=note' 'compatibility-length=warning' 'compatibility-length=error' 'metadata-type=off' 'metadata-type=note' 'metadata-type=warning' 'metadata-type=error' 'duplicate-name=off' 'duplicate-name=note' 'duplicate-name=warning' 'duplicate-name=error' 'symlink=off' 'symlink=note' 'symlink=warning' 'symlink=error' 'special-file=off' 'special-file=note' 'special-file=warning' 'special-file=error' 'name-collision=off' 'name-collision=note' 'name-collision=warning' 'name-collision=error' 'unsafe-file-name=off' 'unsafe-file-name=note' 'unsafe-file-name=warning' 'unsafe-file-name=error' 'hidden-unicode=off' 'hidden-unicode=note' 'hidden-unicode=warning' 'hidden-unicode=error' 'confusable-letters=off' 'confusable-letters=note' 'confusable-letters=warning' 'confusable-letters=error' 'xml-in-description=off' 'xml-in-description=note' 'xml-in-description=warning' 'xml-in-description=error' 'reserved-name=off' 'reserved-name=note' 'reserved-name=warning' 'reserved-name=error' 'unknown-field=off' 'unknown-field=note' 'unknown-field=warning' 'unknown-field=error' 'nested-skill=off' 'nested-skill=note' 'nested-skill=warning' 'nested-skill=error' 'opaque-file=off' 'opaque-file=note' 'opaque-file=warning' 'opaque-file=error' 'empty-body=off' 'empty-body=note' 'empty-body=warning' 'empty-body=error' 'body-too-long=off' 'body-too-long=note' 'body-too-long=warning' 'body-too-long=error' 'broken-link=off' 'broken-link=note' 'broken-link=warning' 'broken-link=error' 'link-escapes-skill=off' 'link-escapes-skill=note' 'link-escapes-skill=warning' 'link-escapes-skill=error' 'broad-tools=off' 'broad-tools=note' 'broad-tools=warning' 'broad-tools=error' 'secret-in-file=off' 'secret-in-file=note' 'secret-in-file=warning' 'secret-in-file=error' 'version-control-files=off' 'version-control-files=note' 'version-control-files=warning' 'version-control-files=error' 'obfuscated-command=off' 'obfuscated-command=note' 'obfuscated-command=warning' 'obfuscated-command=error' 'paste-site-link=off' 'paste-site-link=note' 'paste-site-link=warning' 'paste-site-link=error' 'portable-file-name=off' 'portable-file-name=note' 'portable-file-name=warning' 'portable-file-name=error' 'agent-compat=off' 'agent-compat=note' 'agent-compat=warning' 'agent-compat=error' 'allowed-tools-format=off' 'allowed-tools-format=note' 'allowed-tools-format=warning' 'allowed-tools-format=error' 'script-not-executable=off' 'script-not-executable=note' 'script-not-executable=warning' 'script-not-executable=error' 'metadata-value=off' 'metadata-value=note' 'metadata-value=warning' 'metadata-value=error' 'pipe-to-shell=off' 'pipe-to-shell=note' 'pipe-to-shell=warning' 'pipe-to-shell=error' 'description-when=off' 'description-when=note' 'description-when=warning' 'description-when=error']
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
        &'explain explain'= ['missing-skill-md' 'skill-md-case' 'not-utf8' 'control-character' 'byte-order-mark' 'file-too-large' 'skill-too-large' 'missing-frontmatter' 'unclosed-frontmatter' 'invalid-yaml' 'duplicate-key' 'field-type' 'missing-name' 'name-format' 'name-too-long' 'name-directory-mismatch' 'missing-description' 'description-empty' 'description-too-long' 'compatibility-length' 'metadata-type' 'duplicate-name' 'symlink' 'special-file' 'name-collision' 'unsafe-file-name' 'hidden-unicode' 'confusable-letters' 'xml-in-description' 'reserved-name' 'unknown-field' 'nested-skill' 'opaque-file' 'empty-body' 'body-too-long' 'broken-link' 'link-escapes-skill' 'broad-tools' 'secret-in-file' 'version-control-files' 'obfuscated-command' 'paste-site-link' 'portable-file-name' 'agent-compat' 'allowed-tools-format' 'script-not-executable' 'metadata-value' 'pipe-to-shell' 'description-when']
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
