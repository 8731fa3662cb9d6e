//! Completion scripts. The generator knows all values for bash and zsh. This adds what it leaves
//! out for other shells, how bash splits words, and what only the shell or the disk knows
//! (commands, names of installed skills).

use std::fmt::Write as _;

use clap::{Arg, ArgAction, Command, CommandFactory, ValueHint};
use clap_complete::Shell;

use super::args::Cli;

/// The function that bash calls first. The generated one cannot handle words split at `=`, commands
/// of other programs, and names of skills.
const BASH: &str = include_str!("completions.bash");
/// The same for zsh, at the start of the generated function and after it.
const ZSH: &str = include_str!("completions.zsh");
/// The functions that fish calls.
const FISH: &str = include_str!("completions.fish");
/// Placeholder in scripts for the commands that take names of installed skills.
const NAMING: &str = "NAMING_COMMANDS";

/// The script for a shell.
pub fn script(shell: Shell) -> String {
    let mut command = Cli::command().mut_args(hinted);
    let verbs: Vec<String> =
        command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    for verb in verbs {
        command = command.mut_subcommand(verb, |verb| verb.mut_args(hinted));
    }
    // The generator panics if its stream fails, so give it a buffer.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, crate::PROGRAM, &mut script);
    let script = String::from_utf8_lossy(&script);
    match shell {
        Shell::Fish => with_fish_words(&with_fish_values(&script, &values(&command)), &command),
        Shell::PowerShell => with_powershell_values(&script, &values(&command)),
        Shell::Elvish => with_elvish_values(&script, &values(&command)),
        Shell::Bash => with_bash_words(&script).replace(NAMING, &naming(&command).join("|")),
        Shell::Zsh => with_zsh_words(&script),
        _ => script.into_owned(),
    }
}

/// Adds hints about values whose type does not tell what they are.
fn hinted(argument: Arg) -> Arg {
    if argument.is_require_equals_set() {
        // The word after `--fix` is a source; only `--fix=all` has a value.
        let flag = argument.require_equals(false).hide_possible_values(false).num_args(0);
        return flag.action(ArgAction::SetTrue).value_parser(clap::value_parser!(bool));
    }
    if !takes_words(&argument) || !argument.get_possible_values().is_empty() {
        return argument;
    }
    let names = argument.get_value_names().unwrap_or_default();
    let hint = match names.first().map(|name| name.as_str()) {
        Some("DIR" | "HOME") => ValueHint::DirPath,
        Some("COMMAND") => ValueHint::CommandName,
        _ if argument.get_value_hint() == ValueHint::Unknown => ValueHint::Other,
        _ => return argument,
    };
    argument.value_hint(hint)
}

/// Offers flags only for words that start with a dash; other words are paths.
fn with_bash_words(script: &str) -> String {
    const OFFER: &str = "COMPREPLY=( $(compgen -W \"${opts}\" -- \"${cur}\") )";
    let mut lines: Vec<String> = Vec::new();
    let mut has_only_flags = false;
    for line in script.lines() {
        let text = line.trim();
        if let Some(words) = text.strip_prefix("opts=\"") {
            let mut words = words.trim_end_matches('"').split_whitespace();
            has_only_flags = words.all(|word| word.starts_with('-') || word.starts_with('['));
        }
        // The default completion of a command.
        let is_last = lines.last().is_some_and(|before| before.trim() == "esac") && text == OFFER;
        lines.push(match has_only_flags {
            true if text.starts_with("if [[ ${cur} == -* ||") => {
                line.replace(" || ${COMP_CWORD} -eq 2", "")
            }
            true if is_last => line.replace(OFFER, "COMPREPLY=()"),
            _ => line.replacen("_skills() {", "_skills_words() {", 1),
        });
    }
    format!("{}\n{BASH}", lines.join("\n"))
}

/// What can follow a flag: under `VERB FLAG`, or `VERB VERB` for what follows the verb itself.
fn values(command: &Command) -> Vec<(String, Vec<String>)> {
    let mut values = Vec::new();
    for verb in command.get_subcommands() {
        for argument in verb.get_arguments() {
            let known = argument.get_possible_values();
            let words = known.iter().map(|value| value.get_name().to_owned()).collect::<Vec<_>>();
            if takes_words(argument) && !words.is_empty() {
                let flag = argument.get_long().map(|long| format!("--{long}"));
                let after = flag.unwrap_or_else(|| verb.get_name().to_owned());
                values.push((format!("{} {after}", verb.get_name()), words));
            }
        }
    }
    values
}

/// clap gives flags without a value the values `true` and `false`.
fn takes_words(argument: &Arg) -> bool {
    argument.is_positional() || argument.get_action().takes_values()
}

/// The commands that take names of installed skills, with their aliases.
fn naming(command: &Command) -> Vec<String> {
    let verbs = command.get_subcommands().filter(|verb| verb.get_positionals().any(is_installed));
    verbs.flat_map(words_of).collect()
}

/// Whether an argument is the name of an installed skill.
fn is_installed(argument: &Arg) -> bool {
    let names = argument.get_value_names().unwrap_or_default();
    argument.get_possible_values().is_empty()
        && names.iter().any(|name| name.split('|').any(|word| word == "NAMES" || word == "NAME"))
}

/// A command as people may type it.
fn words_of(verb: &Command) -> Vec<String> {
    let aliases = verb.get_visible_aliases().map(str::to_owned);
    std::iter::once(verb.get_name().to_owned()).chain(aliases).collect()
}

/// Completes commands after `--`, names of installed skills, and flags after a source.
fn with_zsh_words(script: &str) -> String {
    let (start, functions) = ZSH.split_once("\n\n").unwrap_or_default();
    let mut functions = Some(functions);
    let mut is_named = false;
    let mut lines: Vec<String> = Vec::new();
    for line in script.lines() {
        // With two colons, zsh offers no flags after the first of these words.
        let line = &line.replacen("'*::", "'*:", usize::from(line.starts_with("'*::")));
        is_named |= line.starts_with("'*:names -- ") || line.starts_with("':name -- ");
        // The description may contain line breaks; the action comes last.
        lines.push(match line.strip_suffix(":' \\").filter(|_| is_named) {
            Some(description) => format!("{description}:_skills_installed' \\"),
            None => line.to_owned(),
        });
        is_named &= !line.ends_with(" \\");
        if line == "_skills() {" {
            lines.push(start.to_owned());
        }
        // After the first function.
        if line == "}" {
            lines.extend(functions.take().map(|text| text.trim_end().to_owned()));
        }
    }
    lines.join("\n") + "\n"
}

/// Completes commands after `--`, and names of installed skills.
fn with_fish_words(script: &str, command: &Command) -> String {
    // After `--`, our flags do not apply.
    let condition = "    set -l cmd (__fish_skills_needs_command)\n";
    let stop = "    contains -- -- (commandline -opc)\n    and return 1\n";
    let script = script.replacen(condition, &format!("{stop}{condition}"), 1);
    format!("{script}\n{}", FISH.replace(NAMING, &naming(command).join(" ")))
}

/// Adds values of arguments; the generator adds those of flags.
fn with_fish_values(script: &str, values: &[(String, Vec<String>)]) -> String {
    let mut script = script.to_owned();
    for (key, words) in values {
        if let Some((verb, _)) = key.split_once(' ').filter(|(verb, after)| verb == after) {
            let condition = format!("__fish_skills_using_subcommand {verb}");
            let words = words.join(" ");
            let _ = writeln!(script, "complete -c skills -n \"{condition}\" -f -a \"{words}\"");
        }
    }
    script
}

fn with_powershell_values(script: &str, values: &[(String, Vec<String>)]) -> String {
    let mut table = "    $values = @{\n".to_owned();
    for (key, words) in values {
        let _ = writeln!(table, "        '{key}' = @('{}')", words.join("', '"));
    }
    table += "    }
    $words = @($commandElements | ForEach-Object { $_.ToString() })
    $before = if ($wordToComplete) { $words.Count - 2 } else { $words.Count - 1 }
    $key = \"$($words[1]) $($words[$before])\"
    if ($values.ContainsKey($key)) {
        return $values[$key] | Where-Object { $_ -like \"$wordToComplete*\" } | ForEach-Object {
            [CompletionResult]::new($_, $_, [CompletionResultType]::ParameterValue, $_)
        }
    }

";
    let start = "    $completions = @(switch ($command) {\n";
    script.replacen(start, &(table + start), 1)
}

fn with_elvish_values(script: &str, values: &[(String, Vec<String>)]) -> String {
    let mut table = "    var values = [\n".to_owned();
    for (key, words) in values {
        let _ = writeln!(table, "        &'{key}'= ['{}']", words.join("' '"));
    }
    table += "    ]
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
";
    script.replacen("    $completions[$command]\n", &table, 1)
}
