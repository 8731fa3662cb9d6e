//! How each agent treats an irregular skill: the observations as a table.

use super::{AGENTS, Agent, join_titles};

/// What one agent does with one quirk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuirkOutcome {
    /// It reads the skill normally.
    Reads,
    /// It silently drops the skill.
    Drops,
    /// It shows the skill, but changed: how, as the rest of a sentence about one agent, and about
    /// several.
    Differs(&'static str, &'static str),
    /// Not observed.
    Unknown,
}

/// An irregularity that agents treat differently.
#[derive(Debug, PartialEq, Eq)]
pub struct Quirk {
    /// A word for tests and tables.
    pub id: &'static str,
    /// One outcome for each of [`AGENTS`], in that order.
    pub outcomes: [QuirkOutcome; 6],
}

use QuirkOutcome::{Differs, Drops, Reads, Unknown};

/// The agent ignores the front matter.
pub const BODY: QuirkOutcome = Differs(
    "shows a line of the body as its description",
    "show a line of the body as its description",
);
const LISTED: QuirkOutcome = Differs("still lists it", "still list it");
const IGNORED: QuirkOutcome = Differs("ignores this field", "ignore this field");
const LITERAL: QuirkOutcome =
    Differs("shows it to the model as it is", "show it to the model as it is");
const COMMENT: QuirkOutcome =
    Differs("takes the rest of the line for a comment", "take the rest of the line for a comment");
const CUT_1024: QuirkOutcome =
    Differs("cuts the description to 1,024 characters", "cut the description to 1,024 characters");
/// An outcome that only one agent has.
const fn alone(what: &'static str) -> QuirkOutcome {
    Differs(what, what)
}

macro_rules! quirks {
    ($($(#[$doc:meta])* $name:ident $id:literal [$($outcome:expr),*];)*) => {
        $($(#[$doc])* pub static $name: Quirk = Quirk { id: $id, outcomes: [$($outcome),*] };)*
        #[cfg(test)]
        static QUIRKS: &[&Quirk] = &[$(&$name),*];
    };
}

quirks! {
//  Claude, Codex, OpenCode, Copilot, Gemini, Pi
    /// `description: A: b`
    UNQUOTED_COLON "unquoted-colon" [Reads, Reads, Reads, Drops, Reads, Drops];
    /// `description: A:`, or a colon in a wrapped line
    FINAL_COLON "final-colon" [BODY, Drops, Reads, Drops, Reads, Drops];
    /// `allowed-tools: Bash(git: *)` and other fields than the description
    COLON_IN_OTHER_FIELD "colon-in-other-field" [Reads, Reads, Drops, Drops, Reads, Drops];
    /// A value that starts with `[x] y`, `@` or a backtick; `argument-hint: [a] [b]`
    RESERVED_START "reserved-start" [Reads, Reads, Drops, Drops, Reads, Drops];
    /// `description: "quoted" then more`
    TEXT_AFTER_QUOTE "text-after-quote" [BODY, Drops, Drops, Drops, Reads, Drops];
    /// A tab as indentation
    TAB_INDENT "tab-indent" [Reads, Drops, Reads, Drops, Reads, Drops];
    /// The same key twice
    DUPLICATE_KEY "duplicate-key" [alone("keeps the last value"), Drops, Drops, Drops, Reads, Drops];
    BYTE_ORDER_MARK "byte-order-mark" [Reads, Drops, Reads, Reads, Drops, Drops];
    /// Bytes that are not UTF-8
    NOT_UTF8 "not-utf8" [Reads, Drops, Reads, Reads, Reads, Reads];
    /// Blank lines or comments before the first `---`
    LATE_FRONT_MATTER "late-front-matter"
        [alone("shows `---` as its description"), Drops, Drops, Drops, Drops, Drops];
    /// No closing `---`
    UNCLOSED_FRONT_MATTER "unclosed-front-matter" [BODY, Drops, Reads, Drops, Drops, Drops];
    NO_FRONT_MATTER "no-front-matter"
        [alone("shows its heading as its description"), Drops, Drops, Drops, Drops, Drops];
    NAME_MISSING "name-missing" [Reads, Reads, Drops, Reads, Drops, Reads];
    /// `name: 123`
    NAME_NOT_TEXT "name-not-text" [Reads, Reads, Drops, Drops, Reads, Drops];
    /// A leading `-`, non-ASCII or `/` in the name
    NAME_FORMAT "name-format" [Reads, Reads, Reads, Drops, Reads, Reads];
    /// More than 64 characters
    NAME_TOO_LONG "name-too-long" [Reads, Drops, Reads, Drops, Reads, Reads];
    DESCRIPTION_MISSING "description-missing" [BODY, Drops, Drops,
        alone("shows the first paragraph as its description"), Drops, Drops];
    DESCRIPTION_EMPTY "description-empty" [BODY, Drops, Reads, Reads, Reads, Drops];
    /// `description: 5`
    DESCRIPTION_NOT_TEXT "description-not-text" [Reads, Reads, Drops, Drops, Reads, Drops];
    /// More than 1,024 characters, at most 1,536
    DESCRIPTION_TOO_LONG "description-too-long" [Reads,
        CUT_1024, Reads, Drops, Reads, Reads];
    /// More than 1,536 characters
    DESCRIPTION_FAR_TOO_LONG "description-far-too-long"
        [alone("cuts the description to 1,536 characters"),
        CUT_1024, Reads, Drops, Reads, Reads];
    /// `description` and `when_to_use` of more than 1,536 characters together
    LISTING_TOO_LONG "listing-too-long"
        [alone("cuts the description with `when_to_use` to 1,536 characters"),
        Reads, Reads, Reads, Reads, Reads];
    /// `metadata` that is a string or a list
    METADATA_NOT_MAPPING "metadata-not-mapping" [Reads, Drops, Reads, Reads, Reads, Reads];
    /// `disable-model-invocation: true`
    HIDDEN_FROM_MODEL "hidden-from-model" [Reads, LISTED, LISTED, Reads, LISTED, Reads];
    /// `disable-model-invocation: "true"` or `yes`
    HIDDEN_NOT_BOOLEAN "hidden-not-boolean" [Reads, LISTED, LISTED, Reads, LISTED, LISTED];
    PATHS "paths" [alone("hides it until a path matches"), Reads, Reads, Reads, Reads, Reads];
    /// `context`, `agent`, `model`, `hooks` and other fields of Claude alone
    CLAUDE_FIELD "claude-field" [Reads, IGNORED, IGNORED, Unknown, Unknown, Unknown];
    /// `$ARGUMENTS`, `${CLAUDE_SKILL_DIR}` or `` !`cmd` `` in the body
    CLAUDE_EXPANSION "claude-expansion" [Reads, LITERAL, LITERAL, Unknown, Unknown, Unknown];
    /// Tools that Claude must be told to allow when nobody can be asked
    HEADLESS_TOOLS "headless-tools"
        [alone("refuses it in headless runs unless `Skill(name)` is allowed"),
        Reads, Reads, Reads, Reads, Reads];
    /// ` #` in an unquoted description
    COMMENT_IN_DESCRIPTION "comment-in-description"
        [COMMENT, COMMENT, COMMENT, COMMENT, COMMENT, COMMENT];
    /// A `SKILL.md` that is a link
    SYMLINKED_SKILL_MD "symlinked-skill-md" [Reads, Drops, Reads, Reads, Reads, Reads];
    /// `skill.md`
    WRONG_CASE "wrong-case" [Drops, Drops, Drops, Drops, Drops, Drops];
    /// A directory whose name starts with a dot
    HIDDEN_DIRECTORY "hidden-directory" [Reads, Drops, Reads, Drops, Drops, Drops];
    /// A skill more than one level below the agent's skills directory
    NESTED_DIRECTORY "nested-directory" [Drops, Reads, Reads, Reads, Drops, Reads];
}

/// What a quirk means for a choice of agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuirkVerdict {
    /// Agents that drop or change the skill.
    pub affected: Vec<&'static Agent>,
    /// Whether any of them drops it.
    pub dropped: bool,
    /// `dropped by Copilot and Pi; Claude, Codex, OpenCode and Gemini read it`
    pub sentence: String,
}

impl Quirk {
    /// Whether some agent loses a skill for this.
    pub fn loses(&self) -> bool {
        self.outcomes.contains(&Drops)
    }
}

impl QuirkVerdict {
    /// What these outcomes, one for each of [`AGENTS`], mean for the agents that `includes` accepts.
    pub fn of(outcomes: &[QuirkOutcome; 6], includes: impl Fn(&Agent) -> bool) -> Self {
        let chosen = || AGENTS.iter().zip(*outcomes).filter(|(agent, _)| includes(agent));
        let with = |wanted: QuirkOutcome| -> Vec<&'static Agent> {
            chosen().filter(|(_, outcome)| *outcome == wanted).map(|(agent, _)| agent).collect()
        };
        let (dropping, reading) = (with(Drops), with(Reads));
        let mut parts = Vec::new();
        if !dropping.is_empty() {
            parts.push(format!("dropped by {}", join_titles(&dropping)));
        }
        let mut told: Vec<QuirkOutcome> = Vec::new();
        for (_, outcome) in chosen() {
            let Differs(one, several) = outcome else { continue };
            if told.contains(&outcome) {
                continue;
            }
            told.push(outcome);
            let agents = with(outcome);
            let what = if agents.len() == 1 { one } else { several };
            parts.push(format!("{} {what}", join_titles(&agents)));
        }
        if !reading.is_empty() {
            let verb = if reading.len() == 1 { "reads" } else { "read" };
            parts.push(format!("{} {verb} it", join_titles(&reading)));
        }
        let affected = chosen()
            .filter(|(_, outcome)| matches!(outcome, Drops | Differs(..)))
            .map(|(agent, _)| agent);
        Self {
            affected: affected.collect(),
            dropped: !dropping.is_empty(),
            sentence: parts.join("; "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_names_losers_first() {
        let verdict = QuirkVerdict::of(&UNQUOTED_COLON.outcomes, |_| true);
        assert_eq!(
            verdict.sentence,
            "dropped by Copilot and Pi; Claude, Codex, OpenCode and Gemini read it"
        );
        let ids: Vec<&str> = verdict.affected.iter().map(|agent| agent.id).collect();
        assert_eq!(ids, ["copilot", "pi"]);
        let claude = QuirkVerdict::of(&DESCRIPTION_MISSING.outcomes, |agent| agent.id == "claude");
        assert_eq!(claude.sentence, "Claude shows a line of the body as its description");
        assert!(!claude.dropped);
        assert_eq!(
            QuirkVerdict::of(&HIDDEN_FROM_MODEL.outcomes, |_| true).sentence,
            "Codex, OpenCode and Gemini still list it; Claude, Copilot and Pi read it"
        );
    }

    #[test]
    fn every_row_has_its_own_id_and_affects_someone() {
        let ids: std::collections::HashSet<&str> = QUIRKS.iter().map(|quirk| quirk.id).collect();
        assert_eq!(ids.len(), QUIRKS.len());
        for quirk in QUIRKS {
            assert!(
                !QuirkVerdict::of(&quirk.outcomes, |_| true).affected.is_empty(),
                "{}",
                quirk.id
            );
        }
    }
}
