//! One pass over a `SKILL.md` that tells which content rules have to look closer.
//!
//! Reason: rules about content look for text that almost no skill contains, and one vectorised
//! search for all of it replaces a search for each rule; all rules together take about 8,000
//! instructions per skill. Guard: `what_a_rule_would_find_is_signalled` compares the signals with
//! the rules on random text, and without vectors every rule looks.

use std::sync::LazyLock;

use aho_corasick::packed::Searcher;
use memchr::memchr_iter;

use crate::skills::text::{secrets, shell};

/// Placeholders that only Claude expands.
pub const EXPANSIONS: [&str; 3] = ["$ARGUMENTS", "${CLAUDE_SKILL_DIR}", "${CLAUDE_SESSION_ID}"];
/// The start of a command that only Claude runs.
pub const EXPANDED_COMMAND: &str = "!`";

/// Something worth a closer look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentSignal {
    /// The start of a provider's key.
    Secret,
    /// Something that decodes.
    Decoding,
    /// A program that downloads.
    Download,
    Address,
    /// Something only Claude expands.
    Expansion,
}

/// How many signals there are.
const SIGNALS: usize = ContentSignal::Expansion as usize + 1;

/// The signals of a text. By default there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ContentSignals {
    /// Control characters of ASCII other than tab and newline, carriage returns included.
    pub control: bool,
    /// Anything outside ASCII.
    pub non_ascii: bool,
    /// By the number of each signal.
    found: [bool; SIGNALS],
}

/// The characters before the host of an address.
pub const BEFORE_HOST: &str = "://";

struct NeedleSearch {
    /// None on machines without vectors; then every rule looks.
    searcher: Option<Searcher>,
    signals: Vec<ContentSignal>,
}

/// The first thing that each rule looks for, from the rule itself.
fn needles() -> impl Iterator<Item = (&'static str, ContentSignal)> {
    let with = |signal: ContentSignal| move |needle| (needle, signal);
    let expansions = EXPANSIONS.into_iter().map(with(ContentSignal::Expansion));
    shell::decoding()
        .map(with(ContentSignal::Decoding))
        .chain(shell::fetching().map(with(ContentSignal::Download)))
        .chain([(BEFORE_HOST, ContentSignal::Address)])
        .chain(expansions)
        .chain(secrets::needles().map(with(ContentSignal::Secret)))
}

/// A text in lower case. Setting one bit of every byte also changes a few signs. That can make a rule
/// look without need, but never miss anything.
fn folded(text: &str) -> Vec<u8> {
    text.bytes().map(|byte| byte | 0x20).collect()
}

/// Whether a text has [`EXPANDED_COMMAND`]. Exclamation marks are rare, so this looks at few bytes.
fn has_expanded_command(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mark = EXPANDED_COMMAND.as_bytes();
    memchr_iter(mark[0], bytes).any(|at| bytes[at..].starts_with(mark))
}

static SEARCH: LazyLock<NeedleSearch> = LazyLock::new(|| {
    let folded = needles().map(|(needle, signal)| (folded(needle), signal));
    let (words, signals): (Vec<Vec<u8>>, Vec<ContentSignal>) = folded.unzip();
    NeedleSearch { searcher: Searcher::new(words), signals }
});

impl ContentSignals {
    /// Looks through `text` once.
    pub fn of(text: &str) -> Self {
        let mut signals = Self::of_characters(text);
        // Too short to search for together with the others: the shortest word sets the pace.
        if has_expanded_command(text) {
            signals.found[ContentSignal::Expansion as usize] = true;
        }
        match &SEARCH.searcher {
            Some(searcher) => {
                for found in searcher.find_iter(&folded(text)) {
                    signals.found[SEARCH.signals[found.pattern().as_usize()] as usize] = true;
                }
            }
            None => signals.found = [true; SIGNALS],
        }
        signals
    }

    /// Checks characters only, which is enough for rules that can make a skill invalid.
    pub fn of_characters(text: &str) -> Self {
        Self {
            control: text
                .bytes()
                .any(|byte| byte.is_ascii_control() && !matches!(byte, b'\n' | b'\t')),
            non_ascii: !text.is_ascii(),
            found: [false; SIGNALS],
        }
    }

    /// Whether some characters may be control characters and need a closer look.
    pub const fn has_odd_characters(self) -> bool {
        self.control || self.non_ascii
    }

    /// Whether this was seen.
    pub const fn has(self, signal: ContentSignal) -> bool {
        self.found[signal as usize]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn finds_exactly_the_signals_in_a_text() {
        let signals = ContentSignals::of("echo x | BASE64 -d; see https://x.y\n");
        assert!(signals.has(ContentSignal::Decoding) && signals.has(ContentSignal::Address));
        assert!(!signals.has(ContentSignal::Download) && !signals.has(ContentSignal::Secret));
        assert!(!signals.control && !signals.non_ascii);
        assert!(ContentSignals::of("AKIA").has(ContentSignal::Secret));
        assert!(ContentSignals::of("a\r\n").control && ContentSignals::of("\u{1b}").control);
        assert!(ContentSignals::of("é").non_ascii);
    }

    /// More needles would not fit into the vectors of machines without AVX2.
    #[test]
    fn needles_are_few() {
        assert!(needles().count() <= 32, "{}", needles().count());
        assert!(SEARCH.searcher.is_some());
    }

    /// Words in mixed letter case, as somebody might write them to avoid detection.
    fn disguised() -> impl Strategy<Value = String> {
        const PIECES: [&str; 64] = [
            "curl",
            "wget",
            "irm",
            "iwr",
            "invoke-webrequest",
            "invoke-restmethod",
            "downloadstring(",
            "confirm",
            "libcurl",
            "iex",
            "invoke-expression",
            "sh",
            "bash",
            "python3",
            "sudo",
            "eval",
            "exec(",
            "source",
            "base64",
            "b64decode(",
            "frombase64string(",
            "powershell",
            "pwsh",
            "-enc",
            "-encodedcommand",
            "-e",
            "/ec",
            "-encoded",
            "-d",
            "--decode",
            "-c",
            "|",
            "|&",
            "||",
            "$(",
            "<(",
            "(",
            ")",
            "`",
            "\"",
            "'",
            ";",
            ".",
            " ",
            "  ",
            "\t",
            " ",
            " ",
            "\n",
            "\r\n",
            "https://x.y",
            "://pastebin.com",
            "aGk=",
            "SQBFAFgAIABTAEEASQBEAA==",
            "AKIAQ7ZK2LW3TB4RM6XC",
            "712345678:AAq7Zk2Lw9Tb4Rm8Xc5Vn5Hs3Jd6Gf0PyQ7",
            "sk-q7Zk2Lw9Tb4Rm8Xc5VnT3BlbkFJ5Hs3Jd6Gf0PyQ7",
            "sk-ant-q7Zk2Lw9Tb4Rm8Xc1Vn5Hs3Jd6Gf0PyQ7Zk2Lw9Tb4Rm8",
            "-----BEGIN RSA PRIVATE KEY-----",
            "glpat-q7Zk2Lw9Tb4Rm8Xc1Vn5Hs3Jd6",
            "$ARGUMENTS",
            "${CLAUDE_SKILL_DIR}",
            "!`",
            "é",
        ];
        let lines = [&PIECES[..], shell::tests::FETCHING, shell::tests::DECODING].concat();
        let piece = (prop::sample::select(lines), any::<u64>(), 0..4_u8);
        let written = |(piece, capitals, style): (&str, u64, u8)| -> String {
            let change = |(at, one): (usize, char)| match (style, capitals >> (at % 64) & 1) {
                (_, 1) if one == ' ' => '\t',
                (0, _) => one,
                (1, _) | (_, 1) => one.to_ascii_uppercase(),
                _ => one.to_ascii_lowercase(),
            };
            piece.chars().enumerate().map(change).collect()
        };
        let pieces = prop::collection::vec((piece.prop_map(written), any::<bool>()), 1..12);
        pieces.prop_map(|pieces| {
            let spaced = |(piece, blank): (String, bool)| piece + if blank { " " } else { "" };
            pieces.into_iter().map(spaced).collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_a_rule_would_find_is_signalled(text in disguised()) {
            let signals = ContentSignals::of(&text);
            let any_line = |finds: fn(&str) -> Option<usize>| text.lines().any(|line| finds(line).is_some());
            prop_assert!(!any_line(shell::fetches_and_runs) || signals.has(ContentSignal::Download));
            prop_assert!(!any_line(shell::decodes_and_runs) || signals.has(ContentSignal::Decoding));
            prop_assert!(secrets::find(&text).is_empty() || signals.has(ContentSignal::Secret));
            prop_assert!(!text.contains(BEFORE_HOST) || signals.has(ContentSignal::Address));
            let expands = EXPANSIONS.iter().chain([&EXPANDED_COMMAND]).any(|mark| text.contains(mark));
            prop_assert!(!expands || signals.has(ContentSignal::Expansion));
        }
    }

    #[test]
    fn words_behind_one_another_are_all_seen() {
        let all = "curl base64 ://$ARGUMENTS-----BEGIN ";
        let signals = ContentSignals::of(all);
        for signal in [
            ContentSignal::Download,
            ContentSignal::Decoding,
            ContentSignal::Address,
            ContentSignal::Expansion,
            ContentSignal::Secret,
        ] {
            assert!(signals.has(signal), "{signal:?}");
        }
    }
}
