//! One pass over a `SKILL.md` that tells which rules have to look closer.
//!
//! Most of what rules about content look for is in almost no skill. Searching for all of it at
//! once costs a fraction of searching for each.

use std::sync::LazyLock;

use aho_corasick::packed::Searcher;

use crate::skills::secrets;

/// Something worth a closer look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// The start of a provider's key.
    Secret,
    /// Something that decodes.
    Decoding,
    /// A program that downloads.
    Download,
    /// An address.
    Address,
    /// Something only Claude expands.
    Expansion,
}

/// What was seen in a text. The default has seen nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Signals {
    /// Control characters of ASCII other than tab and newline, carriage returns included.
    pub control: bool,
    /// Anything outside ASCII.
    pub non_ascii: bool,
    words: u8,
}

/// Words in the letter cases that mean something. Searching without regard to case would keep
/// the search from running on whole vectors.
const WORDS: [(&str, Signal); 16] = [
    ("base64", Signal::Decoding),
    ("Base64", Signal::Decoding),
    ("BASE64", Signal::Decoding),
    ("b64decode", Signal::Decoding),
    ("-enc ", Signal::Decoding),
    ("-Enc ", Signal::Decoding),
    ("ncodedcommand ", Signal::Decoding),
    ("ncodedCommand ", Signal::Decoding),
    ("curl ", Signal::Download),
    ("wget ", Signal::Download),
    ("irm ", Signal::Download),
    ("iwr ", Signal::Download),
    ("://", Signal::Address),
    ("$ARGUMENTS", Signal::Expansion),
    ("${CLAUDE_", Signal::Expansion),
    // All of its dashes would match in every rule of dashes, and each match has to be verified.
    ("-BEGIN ", Signal::Secret),
];

struct Search {
    /// None on machines without vectors; then every rule looks.
    searcher: Option<Searcher>,
    signals: Vec<Signal>,
}

static SEARCH: LazyLock<Search> = LazyLock::new(|| {
    let secrets = secrets::prefixes().map(|prefix| (prefix, Signal::Secret));
    let (words, signals): (Vec<&str>, Vec<Signal>) = WORDS.into_iter().chain(secrets).unzip();
    Search { searcher: Searcher::new(words), signals }
});

impl Signals {
    /// Looks through `text` once.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut signals = Self::of_characters(text);
        // Too short to search for together with the others: the shortest word sets the pace.
        if text.contains("!`") {
            signals.words |= 1 << Signal::Expansion as u8;
        }
        match &SEARCH.searcher {
            Some(searcher) => {
                for found in searcher.find_iter(text) {
                    signals.words |= 1 << SEARCH.signals[found.pattern().as_usize()] as u8;
                }
            }
            None => signals.words = u8::MAX,
        }
        signals
    }

    /// Looks at characters only: rules that can make a skill invalid ask for no more.
    #[must_use]
    pub fn of_characters(text: &str) -> Self {
        let is_control = |byte: u8| (byte < b' ' && !matches!(byte, b'\n' | b'\t')) || byte == 0x7f;
        Self {
            // Without a branch for every byte, this runs on whole vectors.
            control: text.bytes().fold(false, |seen, byte| seen | is_control(byte)),
            non_ascii: !text.is_ascii(),
            words: 0,
        }
    }

    /// Whether there are characters that a closer look could find to be controls.
    #[must_use]
    pub const fn has_odd_characters(self) -> bool {
        self.control || self.non_ascii
    }

    /// Whether this was seen.
    #[must_use]
    pub const fn has(self, signal: Signal) -> bool {
        self.words & (1 << signal as u8) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sees_what_is_there_and_nothing_else() {
        let signals = Signals::of("echo x | BASE64 -d; see https://x.y\n");
        assert!(signals.has(Signal::Decoding) && signals.has(Signal::Address));
        assert!(!signals.has(Signal::Download) && !signals.has(Signal::Secret));
        assert!(!signals.control && !signals.non_ascii);
        assert!(Signals::of("AKIA").has(Signal::Secret));
        assert!(Signals::of("a\r\n").control && Signals::of("\u{1b}").control);
        assert!(Signals::of("é").non_ascii);
    }

    #[test]
    fn words_behind_one_another_are_all_seen() {
        let all = "curl base64 ://$ARGUMENTS-----BEGIN ";
        let signals = Signals::of(all);
        for signal in
            [Signal::Download, Signal::Decoding, Signal::Address, Signal::Expansion, Signal::Secret]
        {
            assert!(signals.has(signal), "{signal:?}");
        }
    }
}
