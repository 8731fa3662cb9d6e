//! `confusable-letters`: no word mixes letters that look alike.

use crate::skills::files::FileKind;
use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, JudgedFile, Rule, Subject};
use crate::skills::text::position::Span;
use crate::skills::text::unicode::disguised;

pub static RULE: Rule = Rule {
    id: "confusable-letters",
    severity: Severity::Warning,
    summary: "no word mixes Latin letters with others that look like them",
    why: "A Cyrillic `а` looks like a Latin one. A word with both can imitate a trusted name, \
        and a command or path with both does not work. Words in one script are fine in any \
        language. A word that consists only of look-alikes is not reported, because it may be \
        a real word.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: Extract text from P\u{410}YPAL statements. Use when the user mentions them.
---

# PDF

Run `pdftotext` on the file.
",
    ),
    good: Example::SkillMd(
        "\
---
name: pdf
description: Извлекает текст из файлов PDF. Use when the user mentions PDFs.
---

# PDF

Run `pdftotext` on the file.
",
    ),
    safety: Some(8),
    check: Check::Safety(check, check_file),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    if let Some(document) = subject.document
        && subject.signals.non_ascii
    {
        scan(document.text, document.head(), report);
        scan(document.text, document.body, report);
    }
    for entry in subject.inventory.entries.iter().filter(|entry| !entry.name().is_ascii()) {
        let name = String::from_utf8_lossy(entry.name());
        if let Some(found) = disguised(&name).next() {
            let what = if entry.kind == FileKind::Directory { "directory" } else { "file" };
            let message = format!("this {what} name {}", description(found.word, found.letter));
            report.file(&entry.path, message).help(format!("rename the {what}"));
        }
    }
}

/// Models read Markdown. Other files hold data in any language.
fn check_file(file: &JudgedFile<'_>, report: &mut Report<'_>) {
    let is_markdown = file.path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
    if is_markdown && file.signals.non_ascii {
        scan(file.text, Span::new(0, file.text.len()), report);
    }
}

/// Reports the first such word, with how many there are.
fn scan(text: &str, part: Span, report: &mut Report<'_>) {
    let mut found = disguised(part.slice(text));
    let Some(first) = found.next() else {
        return;
    };
    let more = match found.count() {
        0 => String::new(),
        1 => ", and so does 1 more word".to_owned(),
        count => format!(", and so do {count} more words"),
    };
    let start = part.start + first.at;
    let message = format!("this word {}{more}", description(first.word, first.letter));
    report
        .at(Span::new(start, start + first.word.len()), message)
        .help("type the word again, in one script");
}

/// The maximum length of a word.
const SHOWN_CHARS: usize = 40;

fn description(word: &str, letter: char) -> String {
    let word = match word.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    };
    let script = if letter < '\u{400}' { "Greek" } else { "Cyrillic" };
    let code = letter as u32;
    format!("mixes Latin and {script} letters that look alike: U+{code:04X} in `{word}`")
}
