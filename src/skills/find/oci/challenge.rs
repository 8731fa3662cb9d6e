//! What a registry answers when it wants to know who asks (`WWW-Authenticate`).

/// The longest answer that is read.
const HEADER_BYTES: usize = 16 * 1024;

/// How a registry wants to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Challenge {
    /// With a token, which somebody else gives out.
    Bearer {
        /// Where tokens are given out.
        realm: String,
        /// Whom the token is for.
        service: Option<String>,
        /// What the token allows.
        scope: Option<String>,
        /// What was wrong with the last token.
        error: Option<String>,
    },
    /// With a name and a password.
    Basic,
}

/// The first way to ask that is known; a token comes before a password.
pub fn parse<'a>(headers: impl IntoIterator<Item = &'a str>) -> Option<Challenge> {
    let mut has_basic = false;
    for header in headers.into_iter().filter(|header| header.len() <= HEADER_BYTES) {
        for (scheme, parameters) in challenges(header) {
            let value = |key: &str| {
                let found = parameters.iter().find(|(known, _)| known.eq_ignore_ascii_case(key));
                found.map(|(_, value)| value.clone())
            };
            if scheme.eq_ignore_ascii_case("basic") {
                has_basic = true;
            }
            if scheme.eq_ignore_ascii_case("bearer")
                && let Some(realm) = value("realm").filter(|realm| !realm.is_empty())
            {
                return Some(Challenge::Bearer {
                    realm,
                    service: value("service"),
                    scope: value("scope"),
                    error: value("error"),
                });
            }
        }
    }
    has_basic.then_some(Challenge::Basic)
}

/// A scheme and its parameters.
type SchemeParameters = (String, Vec<(String, String)>);

/// Reads `Scheme key=value, key="value", Scheme …`. Anything else is passed over.
fn challenges(header: &str) -> Vec<SchemeParameters> {
    let mut found: Vec<SchemeParameters> = Vec::new();
    let mut rest = header;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if rest.is_empty() {
            return found;
        }
        let (word, after) = token(rest);
        if word.is_empty() {
            // Pass over what is not a word.
            let mut characters = rest.chars();
            characters.next();
            rest = characters.as_str();
            continue;
        }
        match after.trim_start_matches([' ', '\t']).strip_prefix('=') {
            Some(value) => {
                let (value, after) = text(value.trim_start_matches([' ', '\t']));
                if let Some((_, parameters)) = found.last_mut() {
                    parameters.push((word.to_owned(), value));
                }
                rest = after;
            }
            None => {
                found.push((word.to_owned(), Vec::new()));
                rest = after;
            }
        }
    }
}

fn token(rest: &str) -> (&str, &str) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    rest.split_at(rest.find(|c| !is_part(c)).unwrap_or(rest.len()))
}

/// A value, with or without quotes, and what follows.
fn text(rest: &str) -> (String, &str) {
    let Some(quoted) = rest.strip_prefix('"') else {
        let end = rest.find([',', ' ', '\t']).unwrap_or(rest.len());
        return (rest[..end].to_owned(), &rest[end..]);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return (value, &quoted[at + 1..]),
            '\\' => value.extend(characters.next().map(|(_, c)| c)),
            _ => value.push(c),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bearer(realm: &str, service: Option<&str>, scope: Option<&str>) -> Option<Challenge> {
        Some(Challenge::Bearer {
            realm: realm.to_owned(),
            service: service.map(str::to_owned),
            scope: scope.map(str::to_owned),
            error: None,
        })
    }

    #[test]
    fn the_ways_that_registries_ask() {
        let docker = "Bearer realm=\"https://auth.example/token\",service=\"registry.example\",\
                      scope=\"repository:team/pdf:pull,push\"";
        let scope = Some("repository:team/pdf:pull,push");
        let expected = bearer("https://auth.example/token", Some("registry.example"), scope);
        assert_eq!(parse([docker]), expected);
        let basic = "Basic realm=\"Registry Realm\"";
        assert_eq!(parse([basic]), Some(Challenge::Basic));
        assert_eq!(parse([basic, docker]), expected);
        assert_eq!(parse([format!("{basic}, {docker}").as_str()]), expected);
        assert_eq!(
            parse(["bearer realm=https://a/t , service = b"]),
            bearer("https://a/t", Some("b"), None)
        );
        assert_eq!(parse(["Bearer realm=\"a\\\"b\""]), bearer("a\"b", None, None));
        for other in
            ["", "Negotiate", "Bearer", "Bearer realm=\"\"", "realm=\"x\"", "\"", ",,,", "é"]
        {
            assert_eq!(parse([other]), None, "{other}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_answer_is_read_without_a_crash(text in "\\PC{0,200}") {
            let _ = parse([text.as_str(), "Basic"]);
        }
    }
}
