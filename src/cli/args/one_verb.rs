//! Parses a command line with the flags of one verb.
//!
//! Reason: the flags of all verbs take 0.7 million instructions to build and 0.3 million to free, as
//! much as reading thirty skills. Guard: a test compares every verb with the full command line, which
//! decides whenever this one does not accept what was written.

use std::ffi::OsString;

use clap::{Args, FromArgMatches};

use super::*;

/// Parses a command line whose first word is a verb; none if the full command line must decide.
pub fn parse(mut words: Vec<OsString>) -> Option<Cli> {
    let (verb, flags) = flags_of(words.get(1)?.to_str()?)?;
    words[1] = verb.into();
    let verb = flags(clap::Command::new(verb));
    let command = GlobalArgs::augment_args(clap::Command::new(crate::PROGRAM)).subcommand(verb);
    Cli::from_arg_matches_mut(&mut command.try_get_matches_from(words).ok()?).ok()
}

/// Adds the flags of a verb to it.
type AddFlags = fn(clap::Command) -> clap::Command;

/// The verb that a word names, and its flags.
fn flags_of(word: &str) -> Option<(&'static str, AddFlags)> {
    Some(match word {
        "validate" | "check" | "lint" => ("validate", ValidateArgs::augment_args),
        "list" | "ls" => ("list", ListArgs::augment_args),
        "show" | "info" => ("show", ShowArgs::augment_args),
        "render" => ("render", RenderArgs::augment_args),
        "read" | "cat" | "view" => ("read", ReadArgs::augment_args),
        "install" | "add" | "i" => ("install", InstallArgs::augment_args),
        "sync" => ("sync", SyncArgs::augment_args),
        "remove" | "rm" | "uninstall" => ("remove", RemoveArgs::augment_args),
        "update" | "upgrade" => ("update", UpdateArgs::augment_args),
        "disable" => ("disable", DisableArgs::augment_args),
        "enable" => ("enable", EnableArgs::augment_args),
        "verify" => ("verify", VerifyArgs::augment_args),
        "mount" => ("mount", MountArgs::augment_args),
        "unmount" => ("unmount", UnmountArgs::augment_args),
        "pack" => ("pack", PackArgs::augment_args),
        "push" => ("push", PushArgs::augment_args),
        "serve" => ("serve", ServeArgs::augment_args),
        "cache" => ("cache", CacheArgs::augment_args),
        "lock" => ("lock", LockArgs::augment_args),
        "outdated" => ("outdated", OutdatedArgs::augment_args),
        "init" | "new" => ("init", InitArgs::augment_args),
        "explain" => ("explain", ExplainArgs::augment_args),
        "rules" => ("rules", RulesArgs::augment_args),
        "schema" => ("schema", SchemaArgs::augment_args),
        "completions" => ("completions", CompletionsArgs::augment_args),
        "man" => ("man", ManArgs::augment_args),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn every_verb_has_the_flags_of_the_full_command_line() {
        let full = Cli::command();
        for verb in full.get_subcommands() {
            for word in std::iter::once(verb.get_name()).chain(verb.get_visible_aliases()) {
                let (name, flags) = flags_of(word).unwrap_or_else(|| panic!("no flags: {word}"));
                assert_eq!(name, verb.get_name(), "{word}");
                let alone = flags(clap::Command::new(name));
                let known: Vec<String> =
                    verb.get_arguments().map(|arg| format!("{arg:?}")).collect();
                let found: Vec<String> =
                    alone.get_arguments().map(|arg| format!("{arg:?}")).collect();
                assert_eq!(found, known, "{word}");
            }
        }
    }

    #[test]
    fn what_is_accepted_is_read_the_same_way() {
        for line in [
            "validate a b --strict --rule broken-link=off -v",
            "lint --color never",
            "ls -q --long a",
            "list --agent claude -C /tmp",
            "render --format json a",
            "install gh:a/b --only x,y --dry-run",
            "mount a -- claude -p x",
            "rm pdf",
            "push a oci://h.example/r:v1 --force",
            "serve a --http 127.0.0.1:0",
            "cache clean --older-than 30d",
            "explain invalid-yaml",
            "man",
        ] {
            let words: Vec<OsString> =
                std::iter::once("skills").chain(line.split(' ')).map(OsString::from).collect();
            let full =
                Cli::try_parse_from(&words).unwrap_or_else(|error| panic!("{line}: {error}"));
            let found = parse(words).map(|cli| format!("{cli:?}"));
            assert_eq!(found, Some(format!("{full:?}")), "{line}");
        }
    }

    #[test]
    fn the_full_command_line_decides_about_everything_else() {
        for line in
            ["", "-q list", "nothing", "list --nothing", "list --help", "list -q -v", "help list"]
        {
            let words =
                std::iter::once("skills").chain(line.split(' ').filter(|word| !word.is_empty()));
            assert!(parse(words.map(OsString::from).collect()).is_none(), "{line}");
        }
    }
}
