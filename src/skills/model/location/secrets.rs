//! Removes secrets from addresses: passwords, queries, fragments and, except for ssh, users,
//! because they may be tokens.

/// The address with `…` for each secret.
pub fn hidden(text: &str) -> String {
    without(text, "…")
}

/// The address without its secrets.
pub fn removed(text: &str) -> String {
    without(text, "")
}

fn without(text: &str, mark: &str) -> String {
    let (text, query) = match text.find(['?', '#']) {
        Some(at) if mark.is_empty() => (&text[..at], String::new()),
        Some(at) => (&text[..at], format!("{}{mark}", &text[at..=at])),
        None => (text, String::new()),
    };
    let hidden = text.split_once("://").and_then(|(scheme, rest)| {
        let authority = rest.split('/').next()?;
        // A password may contain a slash.
        let is_cut = |(_, port): (&str, &str)| !port.bytes().all(|one| one.is_ascii_digit());
        let is_cut = !authority.contains('@') && authority.rsplit_once(':').is_some_and(is_cut);
        let (login, _) = if is_cut { rest } else { authority }.rsplit_once('@')?;
        let place = &rest[login.len() + 1..];
        let shown = match (scheme.ends_with("ssh"), login.split_once(':')) {
            (true, None) => format!("{login}@"),
            (true, Some((user, _))) if mark.is_empty() => format!("{user}@"),
            (true, Some((user, _))) => format!("{user}:{mark}@"),
            (false, _) if mark.is_empty() => String::new(),
            (false, _) => format!("{mark}@"),
        };
        Some(format!("{scheme}://{shown}{place}"))
    });
    hidden.unwrap_or_else(|| text.to_owned()) + &query
}

#[cfg(test)]
mod tests {
    use crate::skills::model::location::{FORMS, Location};

    #[test]
    fn a_secret_is_not_repeated() {
        for (text, shown, better) in [
            ("git+https://me:s3cret@h/r.git", "`git+https://…@h/r.git`", FORMS),
            ("git+https://s3cret@h/r.git", "`git+https://…@h/r.git`", FORMS),
            ("git+https://a@s3cret@h/r.git@v1", "`git+https://…@h/r.git@v1`", FORMS),
            ("https://s3cret@h/r.git", "`https://…@h/r.git`", "`git+https://h/r.git`"),
            ("https://s3cret@github.com/o/r", "`https://…@github.com/o/r`", "`gh:o/r`"),
            ("git+ssh://me:s3cret@h/r.git", "`git+ssh://me:…@h/r.git`", FORMS),
            ("ssh://me:s3cret@h/r.git", "`ssh://me:…@h/r.git`", "`git+ssh://me@h/r.git`"),
            ("git+https://h/r?token=s3cret", "`git+https://h/r?…`", FORMS),
            ("git+https://h/r@v1?s3cret", "`git+https://h/r@v1?…`", FORMS),
            ("git+https://h?token=s3cret/r", "`git+https://h?…`", FORMS),
            ("git+https://h/r.git//a?s3cret@v1", "`git+https://h/r.git//a?…`", FORMS),
            ("git+https://h/r#s3cret", "`git+https://h/r#…`", FORMS),
            ("git+https://s3cret@h/r?t=s3cret", "`git+https://…@h/r?…`", FORMS),
            ("git+ftp://h/r?s3cret", "`git+ftp://h/r?…`", FORMS),
            ("gh:o/r?token=s3cret", "`gh:o/r?…`", FORMS),
            ("gh:o/r@-v?s3cret", "`gh:o/r@-v?…`", FORMS),
            ("https://me:s3c/s3cret@h/r.git", "`https://…@h/r.git`", "`git+https://h/r.git`"),
            ("https://s3cret@gitlab.com/g/r", "`https://…@gitlab.com/g/r`", "gitlab.com/g/r.git`"),
            ("git@h:o/r.git#s3cret", "`git@h:o/r.git#…`", "`git+ssh://git@h/o/r.git`"),
            ("https://h/r.git?token=s3cret", "`https://h/r.git?…`", "`git+https://h/r.git`"),
            ("https://github.com/o/r?t=s3cret", "`https://github.com/o/r?…`", "`gh:o/r`"),
        ] {
            let error = Location::parse(text).unwrap_err();
            let help = error.help.unwrap_or_default();
            assert!(error.message.contains(shown), "{}", error.message);
            assert!(help.contains(better), "{help}");
            assert!(!format!("{}{help}", error.message).contains("s3cret"), "{help}");
        }
    }
}
