//! Where a relative link of a skill leads, without asking the file system.

use std::path::{MAIN_SEPARATOR, PathBuf};

use memchr::memrchr;

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
