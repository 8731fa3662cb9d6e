//! Sizes as people write them: `10MiB`, `512 KB`, `1048576`.

/// Units in bytes. A single letter has its usual meaning.
const UNITS: [(&str, u64); 11] = [
    ("", 1),
    ("B", 1),
    ("K", 1 << 10),
    ("KIB", 1 << 10),
    ("KB", 1_000),
    ("M", 1 << 20),
    ("MIB", 1 << 20),
    ("MB", 1_000_000),
    ("G", 1 << 30),
    ("GIB", 1 << 30),
    ("GB", 1_000_000_000),
];

/// Reads a whole number of bytes with an optional unit.
pub fn parse(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = text.get(..digits)?.parse().ok()?;
    let unit = text[digits..].trim_start().to_ascii_uppercase();
    let (_, factor) = UNITS.iter().find(|(known, _)| *known == unit)?;
    number.checked_mul(*factor)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn numbers_with_and_without_units() {
        assert_eq!(parse("10MiB"), Some(10 * 1024 * 1024));
        assert_eq!(parse(" 512 kB "), Some(512_000));
        assert_eq!(parse("1048576"), Some(1_048_576));
        assert_eq!(parse("2g"), Some(2 << 30));
        for wrong in
            ["", "MiB", "1.5MiB", "-1", "10 XB", "99999999999999999999", "18446744073709551615K"]
        {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
