//! Conventions of the source: no two types share a name, and files stay short.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Platforms have one type each for the same thing; only one of them is ever compiled.
const ONE_PER_PLATFORM: &str = "src/skills/files/platform";

#[test]
fn no_two_types_share_a_name() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, text) in sources() {
        let is_platform = file.starts_with(ONE_PER_PLATFORM);
        let place = if is_platform { ONE_PER_PLATFORM.to_owned() } else { file };
        for name in text.lines().filter_map(declared_type) {
            let known = places.entry(name.to_owned()).or_default();
            if !(is_platform && known.contains(&place)) {
                known.push(place.clone());
            }
        }
    }
    assert!(places.len() > 200, "only {} types found", places.len());
    places.retain(|_, places| places.len() > 1);
    assert!(places.is_empty(), "these names have several meanings: {places:#?}");
}

/// Most lines of a file, its tests included.
const LINES: usize = 400;

/// Files that hold one idea on more lines, and how many they may have. This list only gets shorter.
const LONGER: [(&str, usize); 6] = [
    // One `Directory` for systems with descriptors, and one for all others.
    ("src/skills/files/platform/portable.rs", 600),
    ("src/skills/files/platform/unix.rs", 600),
    // One parser: the methods share its state.
    ("src/skills/text/yaml/reader.rs", 530),
    // Decisions about trust, with their tests beside them.
    ("src/skills/find/manifest/trust.rs", 460),
    // Decisions about installing and removing.
    ("src/skills/put/install/plan.rs", 480),
    // The engine of installing.
    ("src/skills/put/install/mod.rs", 530),
];

#[test]
fn files_are_short() {
    let most = |file: &str| {
        LONGER.iter().find(|(longer, _)| *longer == file).map_or(LINES, |(_, most)| *most)
    };
    let lines: Vec<(String, usize)> =
        sources().into_iter().map(|(file, text)| (file, text.lines().count())).collect();
    let long: Vec<_> = lines.iter().filter(|(file, lines)| *lines > most(file)).collect();
    assert!(long.is_empty(), "split these files by idea: {long:#?}");
    for (file, _) in LONGER {
        let is_long = lines.iter().any(|(known, lines)| known == file && *lines > LINES);
        assert!(is_long, "{file} is short or gone: take it off the list");
    }
}

/// The name of the type that a line declares. Types inside functions and impls do not count: nobody
/// else can name them.
fn declared_type(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub").map_or(line, |rest| {
        let rest = rest
            .strip_prefix('(')
            .and_then(|rest| rest.split_once(')'))
            .map_or(rest, |(_, rest)| rest);
        rest.trim_start()
    });
    let (keyword, rest) = line.split_once(' ')?;
    let is_type = matches!(keyword, "struct" | "enum" | "trait" | "type" | "union");
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    is_type.then_some(&rest[..end])
}

/// All files below `src`, by their path below the package, with their text.
fn sources() -> Vec<(String, String)> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut directories = vec![package.join("src")];
    let mut found = Vec::new();
    while let Some(directory) = directories.pop() {
        let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
        let (inner, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
        directories.extend(inner);
        for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "rs")) {
            let below = file.strip_prefix(package).unwrap().to_string_lossy().replace('\\', "/");
            found.push((below, fs::read_to_string(file).unwrap()));
        }
    }
    found.sort();
    found
}
