//! How to install a skill that has no valid name: the command that gives it one.

use std::path::Path;

use crate::cli::context::Context;
use crate::cli::settings::{CopySettings, Verb};
use crate::output::layout;
use crate::skills::judge::rules::name_format;
use crate::skills::model::name;
use crate::skills::model::source::SkillKind;
use crate::skills::put::install::choice::Skipped;

/// What to do about skills that were skipped for their names, if the verb can rename one.
pub fn help(skipped: &[Skipped], skills: &CopySettings, context: &Context) -> Option<String> {
    let (verb, does) = match skills.verb {
        Verb::Install => ("install", "installs"),
        Verb::Mount => ("mount", "mounts"),
        _ => return None,
    };
    let is_misnamed = |one: &&Skipped| one.why.rule.is_some_and(|rule| rule.is(&name_format::RULE));
    let number = skipped.iter().filter(is_misnamed).count();
    let (source, name) = skipped.iter().filter(is_misnamed).find_map(|one| {
        Some((word(&source(one, &context.directory))?, name::suggest(&one.name)?))
    })?;
    let (whom, all) = match number {
        1 => ("it", ""),
        _ => ("one of them", "; a skills.yaml can give each of them a `name`"),
    };
    Some(format!("`skills {verb} {source} --name {name}` {does} {whom} as `{name}`{all}"))
}

/// The source as the user would write it.
fn source(skipped: &Skipped, directory: &Path) -> String {
    match skipped.stored {
        SkillKind::Directory | SkillKind::File => layout::relative(&skipped.path, directory),
        _ => skipped.source.clone(),
    }
}

/// A word for a shell; none for text that nobody should copy.
fn word(text: &str) -> Option<String> {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "-_./:@+~%=,".contains(one);
    if text.chars().all(is_plain) && !text.starts_with(['-', '~']) {
        return Some(text.to_owned());
    }
    let is_safe = |one: char| one == ' ' || (!one.is_whitespace() && !one.is_control());
    let can_be_quoted = text.chars().all(is_safe) && !text.contains(['\'', '`']);
    (can_be_quoted && !text.starts_with('-')).then(|| format!("'{text}'"))
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn only_what_can_be_copied_is_shown() {
        assert_eq!(word("src/PDF-Tools").as_deref(), Some("src/PDF-Tools"));
        assert_eq!(word("src/My Skill").as_deref(), Some("'src/My Skill'"));
        assert_eq!(word("$(x)").as_deref(), Some("'$(x)'"));
        for odd in ["it's", "a`b", "a\nb", "a\u{1b}b", "-x"] {
            assert_eq!(word(odd), None, "{odd:?}");
        }
    }
}
