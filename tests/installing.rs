//! Every recipe for installing the program installs this program. The name `skills` belongs to
//! another package on the public registry, and a name that is not ours yet could be taken tomorrow.

use std::fs;
use std::path::{Path, PathBuf};

/// Established programs that CI and fuzzing use.
const OF_OTHERS: [&str; 3] = ["cargo-cyclonedx", "cargo-deny", "cargo-fuzz"];

/// Options of `cargo install` and its like that have a value.
const WITH_VALUE: [&str; 9] = [
    "--git",
    "--path",
    "--tag",
    "--rev",
    "--branch",
    "--root",
    "--version",
    "--features",
    "--target",
];

/// Every file that may contain a recipe.
fn recipes() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut places: Vec<PathBuf> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !["target", ".git", "dist", "src"].iter().any(|name| path.ends_with(name)))
        .collect();
    let mut files = Vec::new();
    while let Some(place) = places.pop() {
        if place.is_symlink() || place.ends_with("target") {
            continue;
        }
        if place.is_dir() {
            places.extend(fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()));
        } else if place.extension().is_none_or(|kind| kind != "rs" && kind != "snap") {
            files.push(place);
        }
    }
    files
}

/// The packages that a text fetches by their names alone.
fn fetched_by_name(text: &str) -> Vec<String> {
    // A command may continue on the next line, in running text or after a backslash.
    let words: Vec<&str> = text.split_whitespace().filter(|word| *word != "\\").collect();
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let mut found = Vec::new();
    for (at, pair) in words.windows(2).enumerate() {
        let (program, verb) = (bare(pair[0]), bare(pair[1]));
        let ends = |word: &str| word.ends_with(['`', ';', '|', '&', '"']);
        let is_fetched = match (program.as_str(), verb.as_str()) {
            ("cargo", "install" | "binstall" | "add") => true,
            ("pip" | "pipx" | "brew" | "npm" | "uv", "install" | "i") | ("uv", "tool") => false,
            _ => continue,
        };
        if ends(pair[1]) {
            continue;
        }
        let mut arguments = words[at + 2..].iter().copied();
        let mut packages = Vec::new();
        let mut is_ours = false;
        while let Some(word) = arguments.next() {
            is_ours |= ["--git", "--path"].iter().any(|flag| word.starts_with(flag));
            if WITH_VALUE.contains(&word) {
                arguments.next();
            } else if !word.starts_with('-') {
                packages.push(bare(word));
                // Check only the first word, because a sentence may follow.
                break;
            }
            if ends(word) {
                break;
            }
        }
        let names = packages.into_iter().filter(|name| !name.is_empty());
        let is_known = |name: &String| OF_OTHERS.contains(&name.as_str());
        if is_fetched && !is_ours {
            found.extend(names.filter(|name| !is_known(name)));
        } else if !is_fetched {
            found.extend(names.filter(|name| name == "skills" || name == "skills-tool"));
        }
    }
    found
}

#[test]
fn no_recipe_fetches_a_package_by_its_bare_name() {
    for path in recipes() {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        assert_eq!(fetched_by_name(&text), [""; 0], "{}", path.display());
    }
}

#[test]
fn bare_names_are_recognised() {
    for (text, names) in [
        ("- cargo install --locked skills\n", &["skills"][..]),
        ("RUN cargo install skills-tool", &["skills-tool"]),
        ("`cargo install\n--locked skills` does", &["skills"]),
        ("cargo binstall --version 1 skills", &["skills"]),
        ("brew install skills", &["skills"]),
        ("cargo install --locked --git https://x.example/skills --tag v1 skills-tool", &[]),
        ("cargo install --locked --path .", &[]),
        ("cargo install --locked cargo-deny", &[]),
        ("npm install --global @anthropic-ai/claude-code", &[]),
        ("`cargo install` makes one", &[]),
    ] {
        assert_eq!(fetched_by_name(text), names, "{text}");
    }
}

#[test]
fn the_package_has_a_name_of_its_own_and_the_program_has_ours() {
    assert_eq!(env!("CARGO_PKG_NAME"), "skills-tool");
    let program = Path::new(env!("CARGO_BIN_EXE_skills"));
    assert_eq!(program.file_stem().unwrap(), "skills");
    let run = crate::harness::Sandbox::new().run(["--version"]);
    assert_eq!(run.stdout, format!("skills {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_image_has_what_the_program_calls() {
    let dockerfile = Path::new(env!("CARGO_MANIFEST_DIR")).join("Dockerfile");
    let text = fs::read_to_string(dockerfile).unwrap();
    let last = text.rsplit("\nFROM ").next().unwrap();
    assert!(last.lines().any(|line| line == "RUN apk add --no-cache git"), "{last}");
}
