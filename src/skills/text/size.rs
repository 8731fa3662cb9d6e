//! Sizes and ages as people write them, such as `10MiB` and `30d`, and times as they are recorded.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

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

// The time of day, as text.

/// The time since 1970 began in UTC.
pub fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// `2026-11-16T04:05:06.789Z`
pub fn timestamp(since_epoch: Duration) -> String {
    let seconds = since_epoch.as_secs();
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(i64::try_from(days).unwrap_or_default());
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    let millis = since_epoch.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Year, month and day of a number of days since 1970-01-01, counted in eras of 400 years that
/// start in March.
const fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400;
    (if month <= 2 { year + 1 } else { year }, month, day)
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

#[cfg(test)]
mod clock_tests {
    use super::*;

    #[test]
    fn times_have_their_form() {
        assert_eq!(timestamp(Duration::from_millis(0)), "1970-01-01T00:00:00.000Z");
        assert_eq!(timestamp(Duration::from_millis(951_782_400_007)), "2000-02-29T00:00:00.007Z");
        assert_eq!(timestamp(Duration::from_secs(1_794_801_906)), "2026-11-16T04:05:06.000Z");
    }
}
