//! The little of Markdown that rules need: links and code spans outside code blocks.

use std::path::{MAIN_SEPARATOR, PathBuf};

use memchr::{memchr, memchr_iter, memchr2, memchr3, memrchr};

use crate::skills::text::position::{Span, floor_char_boundary};

/// Longest link or code span in bytes. File names are shorter, and an unlimited search from every
/// bracket of a long line would take quadratic time.
const LOOK_AHEAD: usize = 500;

/// Something in the body that may name a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference<'a> {
    /// The target of a link, the text of a code span, or a path in running text.
    pub target: &'a str,
    /// Where it stands.
    pub span: Span,
    /// How it is written.
    pub kind: ReferenceKind,
}

/// How something that may name a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceKind {
    /// `[text](target)`, or a definition of one.
    Link,
    /// A code span.
    Code,
    /// A word of running text, or of a longer code span, below one of [`SKILL_DIRECTORIES`].
    Text,
}

/// Directories that skills keep their own files in. Paths below others may be those of the project
/// that an agent works on.
pub const SKILL_DIRECTORIES: [&str; 5] =
    ["scripts", "references", "reference", "assets", "resources"];

/// All references of `text` from byte `start` on.
pub fn references(text: &str, start: usize) -> Vec<Reference<'_>> {
    // Most skills have fewer, and growing costs more than finding them.
    let mut found = Vec::with_capacity(16);
    let mut fence: Option<&str> = None;
    let mut in_comment = false;
    let mut line_end = start;
    // Without one of these bytes, a line is plain text here.
    let mut markup = NextByte::new(text.as_bytes(), start, |rest| memchr3(b'`', b'[', b'<', rest));
    let mut other = NextByte::new(text.as_bytes(), start, |rest| memchr2(b'~', b'/', rest));
    let breaks = memchr_iter(b'\n', text.as_bytes().get(start..).unwrap_or_default());
    for end in breaks.map(|at| start + at + 1).chain([text.len()]) {
        let line_start = std::mem::replace(&mut line_end, end);
        let line = text.get(line_start..end).unwrap_or_default();
        let may_name = other.is_before(line_start, end);
        let has_markup = markup.is_before(line_start, end)
            || (may_name && memchr(b'~', line.as_bytes()).is_some());
        if fence.is_none() && !in_comment && !has_markup {
            if may_name {
                scan_words(line, line_start, &mut found);
            }
            continue;
        }
        let marker = fence_marker(line);
        if let Some(open) = fence {
            let closes =
                marker.is_some_and(|marker| marker.starts_with(open) && line.trim() == marker);
            if closes {
                fence = None;
            }
            continue;
        }
        if in_comment {
            in_comment = !line.contains("-->");
            continue;
        }
        if marker.is_some() {
            fence = marker;
            continue;
        }
        in_comment = opens_comment(line);
        scan_line(line, line_start, &mut found);
        if may_name {
            scan_words(line, line_start, &mut found);
        }
    }
    found
}

/// The next of a few bytes. Most lines have none of them, and one search passes many lines.
struct NextByte<'a> {
    bytes: &'a [u8],
    at: usize,
    find: fn(&[u8]) -> Option<usize>,
}

impl<'a> NextByte<'a> {
    fn new(bytes: &'a [u8], start: usize, find: fn(&[u8]) -> Option<usize>) -> Self {
        let mut next = Self { bytes, at: 0, find };
        next.search(start);
        next
    }

    /// Whether it stands in a line; asked of one line after another.
    fn is_before(&mut self, line_start: usize, end: usize) -> bool {
        if self.at < line_start {
            self.search(line_start);
        }
        self.at < end
    }

    fn search(&mut self, from: usize) {
        let found = self.bytes.get(from..).and_then(self.find);
        self.at = found.map_or(self.bytes.len(), |ahead| from + ahead);
    }
}

/// The run of backquotes or tildes that opens or closes a code block.
fn fence_marker(line: &str) -> Option<&str> {
    // Accept any indentation: code in a list item is indented too.
    let content = line.trim_start_matches([' ', '\t']);
    let mark = content.chars().next().filter(|first| matches!(first, '`' | '~'))?;
    let length = content.len() - content.trim_start_matches(mark).len();
    let is_fence = length >= 3 && !(mark == '`' && content[length..].contains('`'));
    is_fence.then(|| &content[..length])
}

fn opens_comment(line: &str) -> bool {
    // Most lines have no `<`, and looking for one is far cheaper.
    memchr(b'<', line.as_bytes()).is_some()
        && line.rfind("<!--").is_some_and(|open| {
            // Inside a code span, `<` is text.
            let in_code = line[..open].matches('`').count() % 2 == 1;
            !in_code && !line[open..].contains("-->")
        })
}

fn scan_line<'a>(line: &'a str, line_start: usize, found: &mut Vec<Reference<'a>>) {
    let mut add = |from: usize, to: usize, kind: ReferenceKind| {
        let target = &line[from..to];
        if !target.is_empty() {
            let span = Span::new(from, to).shifted(line_start);
            found.push(Reference { target, span, kind });
        }
    };
    if let Some((from, to)) = definition(line) {
        add(from, to, ReferenceKind::Link);
        return;
    }
    let bytes = line.as_bytes();
    let mut at = 0;
    while let Some(ahead) = bytes.get(at..).and_then(|rest| memchr3(b'\\', b'`', b']', rest)) {
        at += ahead;
        match bytes[at] {
            b'\\' => at += 2,
            b'`' => {
                let length = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
                let inner = at + length;
                match closing_run(bytes, inner, length) {
                    Some(end) => {
                        add(inner, end, ReferenceKind::Code);
                        at = end + length;
                    }
                    None => at = inner,
                }
            }
            b']' if bytes.get(at + 1) == Some(&b'(') => match destination(line, at + 2) {
                Some((from, to)) => {
                    add(from, to, ReferenceKind::Link);
                    at = to;
                }
                None => at += 2,
            },
            _ => at += 1,
        }
    }
}

/// Adds paths that are words of their own, such as `scripts/run.py` in `python scripts/run.py`.
fn scan_words<'a>(line: &'a str, line_start: usize, found: &mut Vec<Reference<'a>>) {
    let bytes = line.as_bytes();
    for slash in memchr_iter(b'/', bytes) {
        let before = &bytes[..slash];
        let Some(directory) =
            SKILL_DIRECTORIES.iter().find(|known| before.ends_with(known.as_bytes()))
        else {
            continue;
        };
        let start = slash - directory.len();
        let before = line[..start].strip_suffix("./").unwrap_or(&line[..start]);
        // A link or a whole code span has been found already.
        let starts_word = before.is_empty()
            || before.ends_with([' ', '\t', '"', '\'', '*'])
            || (before.ends_with('(') && !before.ends_with("]("));
        let is_part =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_');
        let length =
            bytes[start..].iter().take(LOOK_AHEAD).take_while(|byte| is_part(byte)).count();
        let target = line[start..start + length].trim_end_matches('.');
        if starts_word && looks_like_path(target) {
            let span = Span::new(start, start + target.len()).shifted(line_start);
            found.push(Reference { target, span, kind: ReferenceKind::Text });
        }
    }
}

/// Where the run of backquotes that closes a code span starts.
fn closing_run(bytes: &[u8], from: usize, length: usize) -> Option<usize> {
    let mut at = from;
    let end = bytes.len().min(from + LOOK_AHEAD);
    while at < end {
        if bytes[at] != b'`' {
            at += 1;
            continue;
        }
        let run = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
        if run == length {
            return Some(at);
        }
        at += run;
    }
    None
}

/// The target of an inline link, from just behind its `(`.
fn destination(line: &str, from: usize) -> Option<(usize, usize)> {
    let rest = line.get(from..floor_char_boundary(line, from + LOOK_AHEAD))?;
    if let Some(inner) = rest.strip_prefix('<') {
        return inner.find('>').map(|length| (from + 1, from + 1 + length));
    }
    let mut depth = 0;
    for (offset, character) in rest.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return Some((from, from + offset)),
            ')' => depth -= 1,
            ' ' | '\t' | '\n' | '\r' => {
                return rest[offset..].contains(')').then_some((from, from + offset));
            }
            _ => {}
        }
    }
    None
}

/// The target of a `[label]: target` line.
fn definition(line: &str) -> Option<(usize, usize)> {
    let content = line.trim_start_matches(' ');
    if !content.starts_with('[') || content.starts_with("[^") {
        return None;
    }
    let close = line.find(']')?;
    if !line[close..].starts_with("]:") {
        return None;
    }
    let rest = &line[close + 2..];
    let target = rest.trim_start_matches([' ', '\t']);
    let from = line.len() - target.len();
    let length = target.find(char::is_whitespace).unwrap_or(target.len());
    (length > 0).then_some((from, from + length))
}

// Where a relative link of a skill leads, without asking the file system.

/// A link or code span, read as a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    /// A path inside the skill, normalised and decoded.
    Inside(PathBuf),
    /// A relative path that leaves the skill.
    Outside,
    /// An address, an anchor, an absolute path, a placeholder: not a file of the skill.
    Elsewhere,
}

/// Resolves the target of a link.
pub fn resolve(target: &str) -> LinkTarget {
    if MAIN_SEPARATOR == '/' && is_plain(target) {
        return LinkTarget::Inside(target.into());
    }
    let path = target.split(['#', '?']).next().unwrap_or_default();
    if path.is_empty()
        || is_address(path)
        || path.starts_with(['/', '\\', '~'])
        || is_placeholder(path)
    {
        return LinkTarget::Elsewhere;
    }
    let decoded = percent_decode(path);
    if decoded.chars().any(char::is_control) {
        return LinkTarget::Elsewhere;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in decoded.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_none() => return LinkTarget::Outside,
            ".." => {}
            part => parts.push(part),
        }
    }
    if parts.is_empty() {
        return LinkTarget::Elsewhere;
    }
    LinkTarget::Inside(parts.iter().collect())
}

/// Whether a target is a path as it stands, as most are: parts of letters, digits, `-` and `_`,
/// with single dots inside.
pub fn is_plain(target: &str) -> bool {
    let mut before = b'/';
    for byte in target.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => {}
            b'/' | b'.' if !matches!(before, b'/' | b'.') => {}
            _ => return false,
        }
        before = byte;
    }
    before != b'/'
}

/// Whether a code span can only be meant as the path of a file.
pub fn looks_like_path(text: &str) -> bool {
    // Most code spans have no separator.
    let bytes = text.as_bytes();
    let Some(separator) = memrchr(b'/', bytes) else { return false };
    let last = &bytes[separator + 1..];
    let Some(dot) = memrchr(b'.', last).filter(|dot| *dot > 0) else { return false };
    let extension = &last[dot + 1..];
    !extension.is_empty()
        && extension.iter().all(u8::is_ascii_alphanumeric)
        && is_all_path_characters(text)
        && !bytes.windows(2).any(|pair| pair == b"//")
}

fn is_all_path_characters(text: &str) -> bool {
    let is_mark = |byte: u8| matches!(byte, b'/' | b'.' | b'-' | b'_');
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || is_mark(byte);
    text.bytes().all(is_plain)
        || text.chars().all(|c| c.is_alphanumeric() || u8::try_from(c).is_ok_and(is_mark))
}

/// `https:`, `mailto:` and the like.
fn is_address(path: &str) -> bool {
    path.split_once(':').is_some_and(|(scheme, _)| {
        let ok = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        !scheme.is_empty() && scheme.chars().all(ok)
    })
}

/// `path/to/<name>.md`, `{file}`, `$VAR`, `*.md`, `...`.
fn is_placeholder(path: &str) -> bool {
    path.contains(['<', '>', '{', '}', '$', '*', '|']) || path.contains("...")
}

/// Whether a path is relative and never leaves its directory, on any system.
pub fn is_inner_path(path: &str) -> bool {
    let padded = path.trim() != path;
    let elsewhere = path.starts_with('~') || is_absolute(path) || climbs(path);
    !path.is_empty() && !padded && !elsewhere
}

/// Where a relative path in a directory of a tree leads, below the root of that tree; none when it
/// leads out of it, on any system.
pub fn below_root(directory: &str, path: &str) -> Option<String> {
    let elsewhere = path.starts_with('~') || is_absolute(path) || path.contains('\\');
    if elsewhere || path.is_empty() || path.trim() != path {
        return None;
    }
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Whether a path is absolute on any system: it may have been written on another.
pub fn is_absolute(path: &str) -> bool {
    let drive = matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    path.starts_with(['/', '\\']) || drive
}

/// Whether a path goes up anywhere, on any system.
pub fn climbs(path: &str) -> bool {
    path.split(['/', '\\']).any(|part| part == "..")
}

/// Decodes `%20` and the like. Invalid escapes stay unchanged.
pub fn percent_decode(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = bytes.get(at + 1..at + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        let byte = pair
            .filter(|pair| bytes[at] == b'%' && pair.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|pair| u8::from_str_radix(pair, 16).ok());
        decoded.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(text: &str) -> Vec<(&str, bool)> {
        references(text, 0)
            .into_iter()
            .inspect(|found| assert_eq!(found.span.slice(text), found.target))
            .filter(|found| found.kind != ReferenceKind::Text)
            .map(|found| (found.target, found.kind == ReferenceKind::Link))
            .collect()
    }

    #[test]
    fn finds_paths_in_running_text() {
        let words = |text: &str| -> Vec<String> {
            let found = references(text, 0).into_iter();
            let found = found.filter(|one| one.kind == ReferenceKind::Text);
            found.map(|one| one.target.to_owned()).collect()
        };
        assert_eq!(
            words("Read references/a.md. Then ./scripts/b.py"),
            ["references/a.md", "scripts/b.py"]
        );
        assert_eq!(
            words("Run `python scripts/b.py in.pdf` (resources/c.md)"),
            ["scripts/b.py", "resources/c.md"]
        );
        for text in [
            "`scripts/b.py` and [a](references/a.md)",
            "https://x.y/scripts/b.py, my/scripts/b.py, {dir}/scripts/b.py",
            "```\nscripts/b.py\n```",
            "transcripts/b.md scripts/ scripts/run",
        ] {
            assert_eq!(words(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn finds_links_definitions_and_code_spans() {
        assert_eq!(
            targets("See [a](x.md \"t\"), ![i](i(1).png), <b> [c](<d e.md>).\n[r]: ref.md\n`s/x`"),
            [
                ("x.md", true),
                ("i(1).png", true),
                ("d e.md", true),
                ("ref.md", true),
                ("s/x", false)
            ]
        );
        assert_eq!(targets("``a ` b`` `c`"), [("a ` b", false), ("c", false)]);
    }

    #[test]
    fn skips_code_blocks_comments_and_escapes() {
        let text = "```md\n[a](b.md)\n```\n~~~\n`x`\n```\n~~~\n<!-- [c](d.md)\n[e](f.md) -->\n";
        assert_eq!(targets(text), [("d.md", true)]);
        assert_eq!(targets("\\[a\\](b) [ok](c)"), [("c", true)]);
        assert_eq!(targets("[a](unclosed"), []);
        assert_eq!(targets("[U](a.md) covers arr[0]: first"), [("a.md", true)]);
        assert_eq!(targets("- x\n    ```\n    [a](b.md)\n    ```\n"), []);
        assert_eq!(targets("`<!--` is text\n[a](b.md)\n"), [("<!--", false), ("b.md", true)]);
    }
}

#[cfg(test)]
mod link_tests {
    use super::*;

    #[test]
    fn relative_targets_are_normalised() {
        assert_eq!(resolve("./a/../b/c.md#x"), LinkTarget::Inside("b/c.md".into()));
        assert_eq!(resolve("a%20b.md?raw"), LinkTarget::Inside("a b.md".into()));
        assert_eq!(resolve("../other/SKILL.md"), LinkTarget::Outside);
        assert_eq!(resolve("a/../../x"), LinkTarget::Outside);
        assert_eq!(resolve("%2e%2e/x"), LinkTarget::Outside);
    }

    #[test]
    fn addresses_anchors_and_placeholders_are_not_files() {
        for target in [
            "https://x.y/z",
            "mailto:a@b",
            "#part",
            "/etc/passwd",
            "~/x",
            "<name>.md",
            "{x}",
            "",
            "C:\\x",
            "url",
            "...",
        ] {
            let expected = if target == "url" {
                LinkTarget::Inside("url".into())
            } else {
                LinkTarget::Elsewhere
            };
            assert_eq!(resolve(target), expected, "{target}");
        }
    }

    #[test]
    fn only_unmistakable_code_spans_are_paths() {
        assert!(looks_like_path("scripts/run.py"));
        for text in ["run.py", "a/b", "git add x/y.z", "scripts/*.py", "http://x.y/z.html", "a/.."]
        {
            assert!(!looks_like_path(text), "{text}");
        }
    }

    #[test]
    fn a_path_in_a_tree_stays_in_it() {
        for (directory, path, inner) in [
            ("", ".", Some("")),
            ("", "./skills", Some("skills")),
            ("teams/web", "../common//pdf/", Some("teams/common/pdf")),
            ("teams", "..", Some("")),
            ("teams", "../..", None),
            ("", "a/../..", None),
            ("", "a/../b", Some("b")),
            ("", "~/x", None),
            ("", "/etc", None),
            ("", "C:/x", None),
            ("", "..\\x", None),
            ("", " x", None),
            ("", "", None),
        ] {
            assert_eq!(below_root(directory, path).as_deref(), inner, "{directory} {path}");
        }
    }
}
