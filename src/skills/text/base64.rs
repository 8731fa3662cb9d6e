//! Base64: strict, as it is written here, and lenient, as other programs write it.

use base64::Engine;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};

/// Writes bytes as text.
pub fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Reads what [`encode`] writes; none for anything else.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// Reads text with or without padding, in the alphabet of files or of addresses.
pub fn decode_any(text: &str) -> Option<Vec<u8>> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    LENIENT.decode(text.trim().replace('-', "+").replace('_', "/")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_usual_base64() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foob", "Zm9vYg=="),
            (b"\xff\xfe\xfd\0", "//79AA=="),
        ] {
            assert_eq!(encode(bytes), text);
            assert_eq!(decode(text).as_deref(), Some(bytes));
        }
        for bad in
            ["Z", "Zg", "Zg=", "Zg===", "=", "====", "Zh==", "Z g=", "Zm9v\n", "Zm9v=Zg=", "é==="]
        {
            assert_eq!(decode(bad), None, "{bad}");
        }
        for good in ["//79AA==", "//79AA", "__79AA", " //79AA\n"] {
            assert_eq!(decode_any(good).as_deref(), Some(&b"\xff\xfe\xfd\0"[..]), "{good}");
        }
        for bad in ["a b", "é===", "Z"] {
            assert_eq!(decode_any(bad), None, "{bad}");
        }
    }
}
