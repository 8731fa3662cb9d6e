//! Characters that a reader cannot see, that look like others, or that change how text around them is
//! shown, and lines that a CI service takes for commands.

use std::ops::RangeInclusive;

use memchr::memmem;

/// Why a character is hidden from a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hidden {
    /// Reorders the text around it.
    Bidirectional,
    /// Takes no room.
    ZeroWidth,
    /// Shows nothing, or shows only where needed, like a soft hyphen.
    Invisible,
    /// A tag character outside a flag emoji: a way to smuggle ASCII.
    Tag,
    /// One of several variation selectors in a row: a way to smuggle bytes.
    VariationRun,
    /// A code point that Unicode has not assigned, shown as nothing: a way to smuggle bytes.
    Unassigned,
}

impl Hidden {
    /// The word for messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bidirectional => "bidirectional control",
            Self::ZeroWidth => "zero-width character",
            Self::Tag => "tag character",
            Self::VariationRun => "run of variation selectors",
            Self::Invisible => "invisible character",
            Self::Unassigned => "unassigned invisible character",
        }
    }

    /// Every kind, in the order of reports.
    pub const ALL: [Self; 6] = [
        Self::Bidirectional,
        Self::ZeroWidth,
        Self::Invisible,
        Self::Tag,
        Self::VariationRun,
        Self::Unassigned,
    ];

    /// Whether it cannot be an accident, because it carries text that a reader should not see.
    pub const fn carries_data(self) -> bool {
        matches!(self, Self::Tag | Self::VariationRun | Self::Unassigned)
    }
}

/// `Default_Ignorable_Code_Point` of Unicode: shown as nothing by programs that do not support it. A
/// test compares this with the tables of another library.
pub const fn is_ignorable(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// A Braille cell without dots. It looks like a space but is not white space.
const BRAILLE_BLANK: char = '\u{2800}';

const fn is_braille(character: char) -> bool {
    matches!(character, '\u{2801}'..='\u{28ff}')
}

/// Invisible, although Unicode does not list them as ignorable: interlinear annotation marks and the
/// empty Braille cell.
const fn is_blank_sign(character: char) -> bool {
    matches!(character, '\u{fff9}'..='\u{fffb}' | BRAILLE_BLANK)
}

/// Ignorable code points without an assigned character.
const fn is_unassigned(character: char) -> bool {
    matches!(character, '\u{2065}' | '\u{fff0}'..='\u{fff8}')
        || matches!(character, '\u{e0080}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

/// Invisible characters that belong to a script, and the letters they normally stand beside.
const AT_HOME: [(RangeInclusive<char>, RangeInclusive<char>); 8] = [
    // Where lines of Thai, Lao, Burmese and Khmer may be broken.
    ('\u{200b}'..='\u{200b}', '\u{e00}'..='\u{109f}'),
    ('\u{200b}'..='\u{200b}', '\u{1780}'..='\u{17b3}'),
    // Vowels of Khmer, variants and the vowel separator of Mongolian.
    ('\u{17b4}'..='\u{17b5}', '\u{1780}'..='\u{17b3}'),
    ('\u{180b}'..='\u{180f}', '\u{1810}'..='\u{18aa}'),
    // Hangul syllables that lack a letter.
    ('\u{115f}'..='\u{1160}', '\u{1100}'..='\u{115e}'),
    ('\u{115f}'..='\u{1160}', '\u{1161}'..='\u{11ff}'),
    ('\u{1bca0}'..='\u{1bca3}', '\u{1bc00}'..='\u{1bc9f}'),
    ('\u{1d173}'..='\u{1d17a}', '\u{1d100}'..='\u{1d172}'),
];

fn is_at_home(character: char, beside: char) -> bool {
    AT_HOME.iter().any(|(mark, letters)| mark.contains(&character) && letters.contains(&beside))
}

/// C0 and C1 controls, delete, and the Unicode line separators. Tab and newline are text.
pub const fn is_control(character: char) -> bool {
    matches!(character,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}')
}

/// Characters that make surrounding text run the other way.
pub const fn is_bidirectional(character: char) -> bool {
    is_bidi_mark(character)
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Marks that are ordinary next to right-to-left letters.
const fn is_bidi_mark(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{61c}')
}

/// Whether a text consists of printable ASCII, blanks included.
pub fn is_printable_ascii(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Whether a character must not be printed to a terminal.
pub const fn is_unprintable(character: char) -> bool {
    if matches!(character, ' '..='~') {
        return false;
    }
    // Joiners and selectors are part of emoji and of whole scripts, and Braille is drawn with blanks.
    let is_needed = is_joiner(character)
        || is_variation_selector(character)
        || is_mongolian_selector(character)
        || character == BRAILLE_BLANK;
    !is_needed && (is_control(character) || is_ignorable(character) || is_blank_sign(character))
}

/// Whether a character has no width and belongs to no script.
pub const fn is_zero_width(character: char) -> bool {
    matches!(character, '\u{200b}' | '\u{34f}' | '\u{feff}' | '\u{180e}')
        || matches!(character, '\u{2060}'..='\u{2064}' | '\u{206a}'..='\u{206f}')
        || matches!(character, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
}

const fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}')
}

/// A character that marks text without being seen.
pub const fn is_tag(character: char) -> bool {
    matches!(character, '\u{e0000}'..='\u{e007f}')
}

pub const fn is_variation_selector(character: char) -> bool {
    matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

pub const fn is_mongolian_selector(character: char) -> bool {
    matches!(character, '\u{180b}'..='\u{180d}' | '\u{180f}')
}

/// Whether a character has variants that this selector chooses. Any other selector only carries
/// data. These are the blocks of the characters in Unicode's `emoji-variation-sequences.txt`,
/// `StandardizedVariants.txt` and `IVD_Sequences.txt`, with the selectors that stand in these files.
///
/// What is left is a narrow channel: each of these selectors is fine after any ideograph, so that an
/// ideograph can still carry five bits that no screen shows. Only the list of all 40,000 sequences
/// would close it.
pub const fn can_vary(before: char, selector: char) -> bool {
    let is_ideograph = matches!(before,
        '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
    match selector {
        // The registered variants of any ideograph are fewer than 32.
        '\u{e0100}'..='\u{e011f}' => is_ideograph,
        '\u{fe0e}' | '\u{fe0f}' => {
            (is_pictograph(before) && before != '\u{fe0f}')
                || matches!(before, '#' | '*' | '0'..='9' | '©' | '®' | '\u{203c}' | '\u{2049}')
                || matches!(before, '\u{20e3}' | '\u{2100}'..='\u{214f}' | '\u{3030}' | '\u{303d}')
                || matches!(before, '\u{3297}' | '\u{3299}')
        }
        '\u{fe02}'..='\u{fe06}' => {
            (is_ideograph && selector == '\u{fe02}')
                // Hieroglyphs.
                || matches!(before, '\u{13000}'..='\u{143ff}')
        }
        '\u{fe00}' | '\u{fe01}' => {
            is_ideograph
                || matches!(before, '0' | '\u{2018}'..='\u{201d}' | '\u{2100}'..='\u{214f}')
                // Signs of mathematics, punctuation of East Asia.
                || matches!(before, '\u{2200}'..='\u{22ff}' | '\u{2a00}'..='\u{2aff}')
                || matches!(before, '\u{1d400}'..='\u{1d7ff}' | '\u{3001}'..='\u{3002}')
                || matches!(before, '\u{ff01}'..='\u{ff1f}')
                // Burmese, Phags-pa, Manichaean, hieroglyphs.
                || matches!(before, '\u{1000}'..='\u{109f}' | '\u{aa60}'..='\u{aa7f}')
                || matches!(before, '\u{a840}'..='\u{a877}' | '\u{10ac0}'..='\u{10aff}')
                || matches!(before, '\u{13000}'..='\u{143ff}')
        }
        _ => {
            is_mongolian_selector(selector)
                && matches!(before, '\u{1800}'..='\u{18aa}')
                && !is_mongolian_selector(before)
        }
    }
}

/// The tag characters that turn a black flag into that of England, Scotland or Wales: Unicode
/// recommends no others, and free letters could spell any text, six a flag.
const FLAG_TAGS: [&str; 3] = [
    "\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// The length in bytes of the tag characters that belong to a black flag.
fn flag_tags(behind: &str) -> usize {
    FLAG_TAGS.iter().find(|tags| behind.starts_with(**tags)).map_or(0, |tags| tags.len())
}

/// Scripts that need joiners and directional marks to be written correctly: Hebrew, Arabic
/// and its relatives, the scripts of India and South-East Asia, Mongolian.
const JOINING_SCRIPTS: [RangeInclusive<char>; 5] = [
    '\u{590}'..='\u{dff}',
    '\u{e00}'..='\u{109f}',
    '\u{1780}'..='\u{18af}',
    '\u{fb1d}'..='\u{fdff}',
    '\u{fe70}'..='\u{fefc}',
];

fn is_joining_letter(character: char) -> bool {
    JOINING_SCRIPTS.iter().any(|range| range.contains(&character)) && !is_bidirectional(character)
}

/// Emoji and their modifiers: pictographs, dingbats, arrows, skin tones, selectors.
const fn is_pictograph(character: char) -> bool {
    matches!(character, '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

/// Every hidden character of `text` with its byte offset.
///
/// Joiners inside emoji and inside scripts that need them are not hidden, nor is a flag
/// made of tag characters, nor are the blanks of Braille.
pub fn hidden(text: &str) -> impl Iterator<Item = (usize, char, Hidden)> {
    let ascii = text.is_ascii();
    let mut previous = '\0';
    let mut flag_end = 0;
    let mut in_braille = false;
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        if ascii {
            return None;
        }
        while let Some((offset, character)) = rest.next() {
            let next = rest.peek().map_or('\0', |(_, next)| *next);
            let before = std::mem::replace(&mut previous, character);
            if character == '\u{1f3f4}' {
                let behind = offset + character.len_utf8();
                flag_end = behind + flag_tags(&text[behind..]);
            }
            // Check a run once: checking the rest of it for each character would take quadratic
            // time.
            if character == BRAILLE_BLANK && before != BRAILLE_BLANK {
                let behind = text[offset..].trim_start_matches(BRAILLE_BLANK);
                in_braille = is_braille(before) || behind.starts_with(is_braille);
            }
            let found = if is_tag(character) {
                (offset >= flag_end).then_some(Hidden::Tag)
            } else if is_variation_selector(character) {
                // An emoji that was deleted can leave one of these behind.
                let is_stray = matches!(character, '\u{fe0e}' | '\u{fe0f}')
                    && ![before, next].into_iter().any(is_variation_selector);
                match is_stray {
                    _ if can_vary(before, character) => None,
                    true => before.is_ascii_alphabetic().then_some(Hidden::Invisible),
                    false => Some(Hidden::VariationRun),
                }
            } else if is_joiner(character) {
                let fits = (is_pictograph(before) && is_pictograph(next))
                    || is_joining_letter(before)
                    || is_joining_letter(next);
                (!fits).then_some(Hidden::ZeroWidth)
            } else if is_bidi_mark(character) {
                let fits = is_joining_letter(before) || is_joining_letter(next);
                (!fits).then_some(Hidden::Bidirectional)
            } else if is_bidirectional(character) {
                Some(Hidden::Bidirectional)
            } else if is_unassigned(character) {
                Some(Hidden::Unassigned)
            } else if (character == BRAILLE_BLANK && in_braille)
                || is_at_home(character, before)
                || is_at_home(character, next)
            {
                None
            } else if is_zero_width(character) {
                Some(Hidden::ZeroWidth)
            } else if is_ignorable(character) || is_blank_sign(character) {
                Some(Hidden::Invisible)
            } else {
                None
            };
            if let Some(hidden) = found {
                return Some((offset, character, hidden));
            }
        }
        None
    })
}

// Words that replace Latin letters by lookalikes from another script.

/// Cyrillic and Greek letters, each with the Latin letter it looks like. Small Greek letters are
/// left out, because formulas mix them with Latin ones.
const LOOKALIKES: &[(char, char)] = &[
    ('Α', 'A'),
    ('Β', 'B'),
    ('Ε', 'E'),
    ('Ζ', 'Z'),
    ('Η', 'H'),
    ('Ι', 'l'),
    ('Κ', 'K'),
    ('Μ', 'M'),
    ('Ν', 'N'),
    ('Ο', 'O'),
    ('Ρ', 'P'),
    ('Τ', 'T'),
    ('Υ', 'Y'),
    ('Χ', 'X'),
    ('ο', 'o'),
    ('Ѕ', 'S'),
    ('І', 'l'),
    ('Ј', 'J'),
    ('А', 'A'),
    ('В', 'B'),
    ('Е', 'E'),
    ('К', 'K'),
    ('М', 'M'),
    ('Н', 'H'),
    ('О', 'O'),
    ('Р', 'P'),
    ('С', 'C'),
    ('Т', 'T'),
    ('У', 'Y'),
    ('Х', 'X'),
    ('а', 'a'),
    ('е', 'e'),
    ('о', 'o'),
    ('р', 'p'),
    ('с', 'c'),
    ('у', 'y'),
    ('х', 'x'),
    ('ѕ', 's'),
    ('і', 'i'),
    ('ј', 'j'),
    ('ԁ', 'd'),
    ('һ', 'h'),
    ('ԛ', 'q'),
    ('ԝ', 'w'),
    ('Ӏ', 'l'),
    ('ӏ', 'l'),
];

/// A word with letters that look like others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disguised<'a> {
    /// Where it starts.
    pub at: usize,
    pub word: &'a str,
    /// The first letter of another script.
    pub letter: char,
}

/// Words of Latin letters and lookalikes. A word with any other letter, such as `HTTPсервер`, is
/// left out: everybody sees that it mixes scripts.
pub fn disguised(text: &str) -> impl Iterator<Item = Disguised<'_>> {
    let is_separator = |one: char| !one.is_alphabetic();
    let mut end = 0;
    let looked_at = if has_other_script(text) { text } else { "" };
    looked_at.split_inclusive(is_separator).filter_map(move |piece| {
        let at = end;
        end += piece.len();
        let word = piece.trim_end_matches(is_separator);
        let mut others = word.chars().filter(|one| is_other_script(*one));
        let letter = others.clone().next()?;
        let has_latin = word.contains(|one: char| one.is_ascii_alphabetic());
        (has_latin && others.all(is_lookalike)).then_some(Disguised { at, word, letter })
    })
}

/// Whether a text can hold letters of the other scripts: their first bytes are not those of dashes,
/// quotes and emoji, which most texts have.
fn has_other_script(text: &str) -> bool {
    !text.is_ascii() && text.bytes().any(|byte| matches!(byte, 0xcd..=0xd4))
}

const fn is_other_script(character: char) -> bool {
    matches!(character, '\u{370}'..='\u{52f}')
}

fn is_lookalike(character: char) -> bool {
    LOOKALIKES.iter().any(|(other, _)| *other == character)
}

// Commands to a CI service, hidden in text: services obey them when they appear in a log.

/// The bracket or colon of each command that a CI service would obey: `##[order]`, `##vso[order]`
/// and the like anywhere, and `::order` at the start of a line.
pub fn orders(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    // Most texts have neither; a search for two characters costs more to begin.
    if memchr::memchr2(b'#', b':', bytes).is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = memmem::find(&bytes[at..], b"##") {
        let end_of = |from: usize, is_part: fn(&u8) -> bool| {
            from + bytes[from..].iter().take_while(|byte| is_part(byte)).count()
        };
        let word = end_of(at + next, |byte| *byte == b'#');
        at = end_of(word, u8::is_ascii_alphanumeric);
        if bytes.get(at) == Some(&b'[') {
            found.push(at);
        }
    }
    if memmem::find(bytes, b"::").is_some() {
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let content = line.trim_start();
            if content.starts_with("::") {
                found.push(start + line.len() - content.len());
            }
            start += line.len();
        }
        found.sort_unstable();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Hidden> {
        hidden(text).map(|(_, _, kind)| kind).collect()
    }

    #[test]
    fn finds_invisible_characters() {
        assert_eq!(kinds("a\u{202e}b"), [Hidden::Bidirectional]);
        assert_eq!(kinds("a\u{200b}b\u{200d}c"), [Hidden::ZeroWidth, Hidden::ZeroWidth]);
        assert_eq!(kinds("x\u{e0041}\u{e0042}"), [Hidden::Tag, Hidden::Tag]);
        assert_eq!(kinds("☺\u{fe00}\u{fe01}\u{fe02}"), [Hidden::VariationRun; 3]);
        assert_eq!(kinds("\u{feff}a\u{feff}"), [Hidden::ZeroWidth; 2]);
        assert_eq!(kinds("a\u{200e}b"), [Hidden::Bidirectional]);
        assert_eq!(kinds("a\u{e0100}b\u{e0101}"), [Hidden::VariationRun; 2]);
        assert_eq!(kinds("d\u{fe0f} e"), [Hidden::Invisible]);
        assert_eq!(kinds("d\u{fe0f}\u{fe0e}"), [Hidden::VariationRun; 2]);
        assert_eq!(kinds("d\u{fe01} e"), [Hidden::VariationRun]);
        assert_eq!(kinds("🏴\u{e0061}\u{e0062}\u{e0063}"), [Hidden::Tag; 3]);
        assert_eq!(kinds("🏴\u{e0075}\u{e0073}\u{e0074}\u{e0078}\u{e007f}"), [Hidden::Tag; 5]);
        assert_eq!(kinds("字\u{e0120}字\u{e01ef}字\u{fe03}"), [Hidden::VariationRun; 3]);
        let smuggled = "🏴".to_owned() + &"\u{e0061}".repeat(30) + "\u{e007f}";
        assert_eq!(kinds(&smuggled).len(), 31);
    }

    #[test]
    fn knows_all_that_unicode_lets_programs_ignore() {
        let parsed = regex_syntax::parse("\\p{Default_Ignorable_Code_Point}").unwrap();
        let regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class)) =
            parsed.kind()
        else {
            panic!("{parsed:?}")
        };
        for character in '\0'..=char::MAX {
            let ranges = class.ranges();
            let known = ranges.iter().any(|one| (one.start()..=one.end()).contains(&character));
            assert_eq!(is_ignorable(character), known, "U+{:04X}", character as u32);
            let shows_nothing = known || is_blank_sign(character);
            assert_eq!(
                !kinds(&format!("a{character}b")).is_empty(),
                shows_nothing,
                "{character:?}"
            );
        }
    }

    #[test]
    fn unassigned_characters_carry_data_everywhere() {
        for character in ['\u{2065}', '\u{fff0}', '\u{e0080}', '\u{e01f0}', '\u{e0fff}'] {
            assert_eq!(kinds(&format!("ក{character}ก")), [Hidden::Unassigned], "{character:?}");
        }
        for character in ['\u{ad}', '\u{17b4}', '\u{1bca0}', '\u{1d173}', '\u{fff9}', '\u{2800}'] {
            assert_eq!(kinds(&format!("in{character}to")), [Hidden::Invisible], "{character:?}");
        }
    }

    #[test]
    fn blanks_of_braille_are_looked_at_once() {
        assert_eq!(kinds(&"\u{2800}".repeat(300_000)).len(), 300_000);
    }

    #[test]
    fn leaves_emoji_flags_and_joining_scripts_alone() {
        for text in [
            "plain",
            "👩‍💻 and 👨‍👩‍👧 and ❤️‍🔥",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} England",
            "می‌خواهم",
            "क्‍ष",
            "עברית\u{200f} text",
            "✔️ ok",
            "ភាសា\u{200b}ខ្មែរ ក\u{17b4}",
            "ᠮᠣᠩᠭᠣᠯ\u{180b} ᠨᠠᠷ\u{180e}ᠠ",
            "\u{115f}ᅡ and ᄀ\u{1160}",
            "⠓⠊\u{2800}⠽\u{2800}\u{2800}\u{2800}⠓",
            "\u{2800}\u{2800}⣿",
            "𝅘\u{1d173}",
            "1️⃣ #️⃣ ☺︎ ©️ ‼️ 🚀️ 〰️",
            "葛\u{e0100}城 邉\u{e011f} 𓀀\u{fe06} ∩\u{fe00} 0\u{fe00} 、\u{fe01} 芦\u{fe00}",
        ] {
            assert_eq!(kinds(text), [], "{text}");
        }
    }

    #[test]
    fn controls_are_all_but_tab_and_newline() {
        assert!(is_control('\u{1b}') && is_control('\0') && is_control('\u{9b}'));
        assert!(is_control('\r') && is_control('\u{2028}') && is_control('\u{7f}'));
        assert!(!is_control('\t') && !is_control('\n') && !is_control('é'));
    }
}

#[cfg(test)]
mod lookalike_tests {
    use super::*;

    #[test]
    fn every_lookalike_is_one_to_unicode() {
        for character in ('\0'..=char::MAX).filter(|one| is_other_script(*one)) {
            assert!(has_other_script(&character.to_string()), "{character}");
        }
        for (other, latin) in LOOKALIKES {
            let skeleton = |one: char| -> String {
                unicode_security::confusable_detection::skeleton(&one.to_string()).collect()
            };
            assert!(is_other_script(*other), "{other}");
            assert_eq!(skeleton(*other), skeleton(*latin), "U+{:04X}", *other as u32);
        }
    }

    #[test]
    fn words_that_mix_lookalike_letters_are_found() {
        for (text, word) in [
            ("the раypal skill", "раypal"),
            ("run сurl now", "сurl"),
            ("(Ρaris)", "Ρaris"),
            ("сafé", "сafé"),
        ] {
            let found: Vec<&str> = disguised(text).map(|found| found.word).collect();
            assert_eq!(found, [word], "{text}");
            assert_eq!(text.find(word), disguised(text).next().map(|found| found.at));
        }
    }

    #[test]
    fn languages_and_formulas_are_left_alone() {
        for text in [
            "plain",
            "Извлекает текст из файлов PDF. API-интерфейс, json-файл",
            "HTTPсервер",
            "Εξάγει κείμενο από αρχεία PDF",
            "αx + ρV = kΩ, λx, hν, Δt, µm",
            "сору",
            "日本語 text",
        ] {
            assert_eq!(disguised(text).count(), 0, "{text}");
        }
    }
}
