use super::*;

fn digest(digit: &str) -> Digest {
    Digest::parse(&format!("sha256:{}", digit.repeat(64))).unwrap()
}

fn lock() -> LockFile {
    let skill = |name: &str, digit: &str| LockedSkill {
        name: name.to_owned(),
        digest: digest(digit),
        artifact: None,
    };
    let published = LockedSkill { artifact: Some(digest("4")), ..skill("pdf", "5") };
    LockFile {
        sources: vec![
            LockedSource {
                source: "./a \"b\"\u{1b}".to_owned(),
                name: None,
                commit: None,
                digest: None,
                skills: Vec::new(),
            },
            LockedSource {
                source: "gh:o/r@v1".to_owned(),
                name: Some("pdf".to_owned()),
                commit: Some("0a".repeat(20)),
                digest: None,
                skills: vec![skill("csv", "1"), skill("pdf", "f")],
            },
            LockedSource {
                source: "https://h.example".to_owned(),
                name: None,
                commit: None,
                digest: None,
                skills: vec![published],
            },
            LockedSource {
                source: "oci://h.example/pdf:v1".to_owned(),
                name: None,
                commit: None,
                digest: Some(digest("6")),
                skills: vec![skill("pdf", "5")],
            },
        ],
    }
}

#[test]
fn what_is_written_reads_back() {
    for lock in [LockFile::default(), lock()] {
        let text = lock.to_json().unwrap();
        assert_eq!(parse(text.as_bytes()).unwrap(), lock, "{text}");
    }
}

#[test]
fn entries_are_found_in_a_lock_that_is_not_sorted() {
    let mut reversed = lock();
    reversed.sources.reverse();
    let read = parse(reversed.to_json().unwrap().as_bytes()).unwrap();
    assert_eq!(read, lock());
    for source in &lock().sources {
        assert_eq!(read.find(source.key()), Some(source));
    }
    assert_eq!(read.find(("gh:o/r@v1", None)), None);
}

#[test]
fn a_flipped_bit_is_refused_or_changes_what_is_locked() {
    let mut whole = lock();
    // An escape can be written in two ways.
    whole.sources[0].source = "./a".to_owned();
    let text = whole.to_json().unwrap();
    for at in 0..text.len() * 8 {
        let mut flipped = text.clone().into_bytes();
        flipped[at / 8] ^= 1 << (at % 8);
        if let Ok(read) = parse(&flipped) {
            let is_blank = text.as_bytes()[at / 8].is_ascii_whitespace();
            assert!(read != whole || is_blank, "bit {at}");
        }
    }
}

#[test]
fn a_damaged_lock_is_refused() {
    for text in [
        "",
        "[]",
        r#"{"version":2,"sources":[]}"#,
        r#"{"version":1}"#,
        r#"{"version":1,"sources":[],"more":1}"#,
        r#"{"version":1,"sources":[{"source":"a","skills":[]},{"source":"a","skills":[]}]}"#,
        r#"{"version":1,"sources":[{"source":"a","commit":"xyz","skills":[]}]}"#,
        r#"{"version":1,"sources":[{"source":"a","skills":[{"name":"b","digest":"sha256:0"}]}]}"#,
    ] {
        assert!(parse(text.as_bytes()).is_err(), "{text}");
    }
}
