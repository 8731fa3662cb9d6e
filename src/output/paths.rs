//! Writes paths: relative where that is shorter and safe, and as URIs.

use std::path::Path;

use super::sanitize;

/// `path` relative to `directory` if it is below it, else unchanged.
pub fn relative(path: &Path, directory: &Path) -> String {
    match path.strip_prefix(directory) {
        Ok(inner) if inner.as_os_str().is_empty() => ".".to_owned(),
        Ok(inner) => inner.to_string_lossy().into_owned(),
        Err(_) => path.to_string_lossy().into_owned(),
    }
}

/// The same for people: paths below the home start with `~`.
pub fn shown(path: &Path, directory: &Path, home: Option<&Path>) -> String {
    let below_home = home.and_then(|home| path.strip_prefix(home).ok());
    let text = match below_home {
        Some(rest) if !path.starts_with(directory) => format!("~/{}", rest.display()),
        _ => relative(path, directory),
    };
    sanitize::line(&text).into_owned()
}

/// Percent-encodes a path for use in a URI; slashes stay.
pub fn uri(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                encoded.push(char::from(byte));
            }
            _ => {
                encoded.push('%');
                encoded.extend([byte >> 4, byte & 15].map(hex_digit));
            }
        }
    }
    encoded
}

fn hex_digit(value: u8) -> char {
    char::from_digit(u32::from(value), 16).unwrap_or('0').to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_below_the_directory_are_relative() {
        assert_eq!(relative(Path::new("/a/b/c"), Path::new("/a")), "b/c");
        assert_eq!(relative(Path::new("/a"), Path::new("/a")), ".");
        assert_eq!(relative(Path::new("/x/y"), Path::new("/a")), "/x/y");
    }

    #[test]
    fn uris_escape_everything_unusual() {
        assert_eq!(uri("a b/ü%.md"), "a%20b/%C3%BC%25.md");
    }
}
