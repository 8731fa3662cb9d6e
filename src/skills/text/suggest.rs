//! "Did you mean": the nearest of a list of known words.

use std::borrow::Cow;

/// The candidate closest to `word`, if it is close enough to be a typo.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_of(word, &mut candidates.into_iter())
}

/// Not generic, so that it is compiled once.
fn nearest_of<'a>(word: &str, candidates: &mut dyn Iterator<Item = &'a str>) -> Option<&'a str> {
    // Typos are never this long, and computing the distance takes quadratic time.
    if word.len() > 64 {
        return None;
    }
    let word = alike(&word.to_lowercase()).into_owned();
    let allowed = match word.chars().count() {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    };
    candidates
        .map(|candidate| (strsim::osa_distance(&word, &alike(candidate)), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Help for an unknown word: the nearest candidate, and all known words.
pub fn help<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    known: String,
) -> String {
    match nearest(word, candidates) {
        Some(near) => format!("did you mean `{near}`? {known}"),
        None => known,
    }
}

/// Treats `_` and `-` alike, because they are easily confused.
fn alike(word: &str) -> Cow<'_, str> {
    if word.contains('_') { word.replace('_', "-").into() } else { word.into() }
}

/// The first of many names, and how many more there are.
pub fn some(names: &[&str]) -> String {
    const SHOWN: usize = 20;
    let shown = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_slips_and_leaves_other_words_alone() {
        let known = ["name", "description", "allowed-tools"];
        assert_eq!(nearest("descripton", known), Some("description"));
        assert_eq!(nearest("allowed_tools", known), Some("allowed-tools"));
        assert_eq!(nearest("Name", known), Some("name"));
        assert_eq!(nearest("version", known), None);
        assert_eq!(nearest("when_to_us", ["when_to_use"]), Some("when_to_use"));
        assert_eq!(nearest("include-host-evn", ["include_host_env"]), Some("include_host_env"));
        assert_eq!(nearest(&"x".repeat(1000), known), None);
    }
}
