//! Words that replace Latin letters by lookalikes from another script.

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

#[cfg(test)]
mod tests {
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
