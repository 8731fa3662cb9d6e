//! Completion scripts. The generator knows all values for bash and zsh; what it leaves out for the
//! other shells is put in here.

use std::fmt::Write as _;

use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;

use super::args::Cli;

/// The script for a shell.
#[must_use]
pub fn script(shell: Shell) -> String {
    let mut command = Cli::command();
    // The generator panics when its stream fails, so it never sees the real one.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, env!("CARGO_PKG_NAME"), &mut script);
    let script = String::from_utf8_lossy(&script);
    match shell {
        Shell::Fish => with_fish_values(&script, &values(&command)),
        Shell::PowerShell => with_powershell_values(&script, &values(&command)),
        Shell::Elvish => with_elvish_values(&script, &values(&command)),
        _ => script.into_owned(),
    }
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

/// Flags without a value have `true` and `false` for values.
fn takes_words(argument: &Arg) -> bool {
    argument.is_positional() || argument.get_action().takes_values()
}

/// Those of flags are there already.
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
