//! Commands to a CI service, hidden in text: services obey them when they appear in a log.

use memchr::memmem;

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
