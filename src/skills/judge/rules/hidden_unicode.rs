//! `hidden-unicode`: a skill contains no invisible text.

use crate::skills::judge::rule::{Report, Severity};
use crate::skills::judge::rules::{Check, Example, JudgedFile, Rule, Subject, UnusableIn};
use crate::skills::text::carriers;
use crate::skills::text::position::Span;
use crate::skills::text::unicode::{Hidden, hidden};

pub static RULE: Rule = Rule {
    id: "hidden-unicode",
    severity: Severity::Error,
    summary: "a skill contains no invisible text",
    why: "Invisible characters hide instructions from the person who reviews a skill, but not \
        from the model that reads it. In front matter, all of them are errors. In the body and \
        in other files, only those that carry data are: tag characters, runs of variation \
        selectors, and invisible characters that Unicode has not assigned. With such an error, a \
        skill is not usable: nothing installs, mounts or serves it. Invisible characters that a \
        script or an emoji needs are fine. Other files than `SKILL.md` are read with `--deep`.",
    bad: Example::SkillMd(
        "\
---
name: pdf
description: Extract text\u{200b} from PDF files. Use when the user mentions PDFs.
---

# PDF

Run `pdftotext` on the file.
",
    ),
    good: Example::SkillMd(
        "\
---
name: pdf
description: Extract text from PDF files 👩\u{200d}💻. Use when the user mentions PDFs.
---

# PDF

Run `pdftotext` on the file.
",
    ),
    unusable: UnusableIn::Anywhere,
    safety: Some(2),
    check: Check::Safety(check, check_file),
    ..Rule::BASE
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(document) = subject.document else {
        return;
    };
    if subject.signals.non_ascii {
        scan(document.text, document.head(), true, report);
        scan(document.text, document.body, false, report);
    }
    let Some(fields) = document.fields() else {
        return;
    };
    // Characters that only an escape can produce: they are nowhere in the file.
    fields.mapping.each_rewritten_string(&mut |node, text| {
        let written = node.span.slice(document.text);
        let found = hidden(text).find(|(_, character, _)| !written.contains(*character));
        if let Some((_, character, kind)) = found {
            let (kind, code) = (kind.as_str(), character as u32);
            let message = format!("an escape produces a {kind}: U+{code:04X}");
            report.at(node.span, message).help("delete the escape");
        }
    });
}

fn check_file(file: &JudgedFile<'_>, report: &mut Report<'_>) {
    match file.is_certain {
        true if file.signals.non_ascii => {
            scan(file.text, Span::new(0, file.text.len()), false, report);
        }
        true => {}
        false => tell(&carriers::carriers(file.text, false), file.text, false, report),
    }
    for one in file.carried {
        report
            .file(file.path, message(one.kind, one.first, one.count))
            .help("delete it; the file is not text there, or longer than 1 MiB")
            .severity(Severity::Error);
    }
}

/// Reports the hidden characters of a part.
fn scan(text: &str, part: Span, is_head: bool, report: &mut Report<'_>) {
    let found: Vec<(usize, char, Hidden)> = hidden(part.slice(text))
        .map(|(at, character, kind)| (part.start + at, character, kind))
        // The byte order mark at the start of the file has a rule of its own.
        .filter(|(at, character, _)| *at > 0 || *character != '\u{feff}')
        .collect();
    tell(&found, text, is_head, report);
}

/// Reports the first hidden character of each kind, with how many there are.
fn tell(found: &[(usize, char, Hidden)], text: &str, is_head: bool, report: &mut Report<'_>) {
    for kind in Hidden::ALL {
        let same = || found.iter().filter(|(_, _, other)| *other == kind);
        let Some((at, character, _)) = same().next() else {
            continue;
        };
        let all: String = same().map(|(_, character, _)| *character).collect();
        let severity =
            if is_head || kind.carries_data() { Severity::Error } else { Severity::Warning };
        report
            .at(Span::of_char(text, *at), message(kind, *character, same().count()))
            .help("delete it")
            .matched(&all)
            .severity(severity);
    }
}

fn message(kind: Hidden, first: char, count: usize) -> String {
    let more = match count {
        0 | 1 => String::new(),
        count => format!(", and {} more", count - 1),
    };
    format!("{}: U+{:04X}{more}", kind.as_str(), first as u32)
}
