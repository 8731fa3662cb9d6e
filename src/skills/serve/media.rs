//! What kind of file a file is, by the end of its name.

use std::path::Path;

/// The kind of a directory.
pub const DIRECTORY: &str = "inode/directory";
/// The kind of a `SKILL.md`.
pub const MARKDOWN: &str = "text/markdown";

/// Ends of names, and kinds.
const KINDS: [(&str, &str); 30] = [
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("jsonl", "application/jsonl"),
    ("markdown", MARKDOWN),
    ("md", MARKDOWN),
    ("mjs", "text/javascript"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("py", "text/x-python"),
    ("rs", "text/x-rust"),
    ("sh", "application/x-sh"),
    ("svg", "image/svg+xml"),
    ("toml", "application/toml"),
    ("ts", "text/x-typescript"),
    ("wasm", "application/wasm"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("xml", "application/xml"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("zip", "application/zip"),
];

/// The kind of the file at this path; none where its name does not say it.
pub fn of_path(path: &str) -> Option<&'static str> {
    let end = Path::new(path).extension()?.to_str()?.to_ascii_lowercase();
    KINDS.iter().find(|(known, _)| *known == end).map(|(_, kind)| *kind)
}
