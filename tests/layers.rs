//! The layers of the domain: a layer names only layers below it, and modules form no cycle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Which modules a module names, both as `layer::module`.
type Graph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn a_layer_names_only_the_layers_below_it() {
    let layers = layers();
    let height = |module: &str| {
        let layer = layer_of(module);
        layers
            .iter()
            .position(|known| known == layer)
            .unwrap_or_else(|| panic!("no layer `{layer}`"))
    };
    let upward: Vec<String> = edges()
        .filter(|(from, to)| height(to) > height(from))
        .map(|(from, to)| format!("{from} names {to}"))
        .collect();
    assert!(upward.is_empty(), "a lower layer names a higher one:\n{}", upward.join("\n"));
}

#[test]
fn the_domain_does_not_name_what_is_built_on_it() {
    for file in files(&domain()) {
        let text = code(&file);
        for above in ["crate::cli", "crate::commands", "crate::library", "crate::output"] {
            assert!(!text.contains(above), "{} names {above}", file.display());
        }
    }
}

#[test]
fn the_library_does_not_name_the_program() {
    for file in files(&domain().with_file_name("library")) {
        let text = code(&file);
        for program in ["crate::cli", "crate::commands", "anyhow", "clap"] {
            assert!(!text.contains(program), "{} names {program}", file.display());
        }
    }
}

#[test]
fn modules_form_no_cycle() {
    let mut graph = graph();
    // A layer's own file declares its modules, and they use what it defines.
    graph.retain(|module, _| module.contains("::"));
    // A module that names no remaining module is not part of a cycle.
    loop {
        let left: BTreeSet<String> = graph.keys().cloned().collect();
        let is_free = |named: &BTreeSet<String>| named.is_disjoint(&left);
        let before = graph.len();
        graph.retain(|_, named| !is_free(named));
        if graph.len() == before {
            break;
        }
    }
    assert!(graph.is_empty(), "these modules reach each other: {graph:#?}");
}

fn domain() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/skills")
}

/// The layers in the order of `src/skills/mod.rs`, from the ground up.
fn layers() -> Vec<String> {
    let text = fs::read_to_string(domain().join("mod.rs")).unwrap();
    let layers = text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    layers.map(str::to_owned).collect()
}

fn layer_of(module: &str) -> &str {
    module.split("::").next().unwrap_or(module)
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The text of a file without comments and tests. Tests may name any module.
fn code(file: &Path) -> String {
    if file.file_stem().is_some_and(|stem| stem == "tests") {
        return String::new();
    }
    let text = fs::read_to_string(file).unwrap();
    let is_tests = |at: &usize| {
        let item = text[*at..].lines().find(|line| !line.starts_with("#["));
        item.is_some_and(|line| line.contains("mod "))
    };
    let tests = text.match_indices("#[cfg(test)]\n").map(|(at, _)| at).find(is_tests);
    let text = &text[..tests.unwrap_or(text.len())];
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The module that a file belongs to; a layer's own file is named like the layer. The agents are
/// one module: each is a row of one table. So are mounting and publishing.
fn module_of(file: &Path) -> Option<String> {
    let inner = file.strip_prefix(domain()).ok()?.with_extension("");
    let parts: Vec<&str> = inner.iter().filter_map(|part| part.to_str()).collect();
    match parts.as_slice() {
        [layer @ ("agents" | "mount" | "publish"), ..] => Some((*layer).to_owned()),
        [layer, "mod"] => Some((*layer).to_owned()),
        [_] | [] => None,
        [layer, module, ..] => Some(format!("{layer}::{module}")),
    }
}

fn graph() -> Graph {
    let files = files(&domain());
    let modules: BTreeSet<String> = files.iter().filter_map(|file| module_of(file)).collect();
    let mut graph = Graph::new();
    for file in &files {
        let Some(module) = module_of(file) else { continue };
        let named = graph.entry(module.clone()).or_default();
        // What is no module is defined in the layer's own file.
        let known = named_in(&code(file)).into_iter().map(|name| match modules.contains(&name) {
            true => name,
            false => layer_of(&name).to_owned(),
        });
        named.extend(known.filter(|other| *other != module));
    }
    graph
}

fn edges() -> impl Iterator<Item = (String, String)> {
    let edges = |(from, named): (String, BTreeSet<String>)| {
        named.into_iter().map(move |to| (from.clone(), to)).collect::<Vec<_>>()
    };
    graph().into_iter().flat_map(edges)
}

/// The modules that a text names in full, from `crate::skills::`.
fn named_in(text: &str) -> BTreeSet<String> {
    const START: &str = "crate::skills::";
    let mut named = BTreeSet::new();
    for (at, _) in text.match_indices(START) {
        // Visibility is not a dependency.
        if text[..at].ends_with("pub(in ") {
            continue;
        }
        let rest = &text[at + START.len()..];
        let layer = word(rest);
        if layer == "agents" {
            named.insert(layer.to_owned());
            continue;
        }
        let inner = rest[layer.len()..].strip_prefix("::");
        let Some(inner) = inner else {
            named.insert(layer.to_owned());
            continue;
        };
        let modules = match inner.strip_prefix('{') {
            None => vec![word(inner)],
            Some(list) => {
                let list = list.split(';').next().unwrap_or_default();
                list.split(',').map(|one| word(one.trim())).collect()
            }
        };
        named.extend(modules.iter().map(|module| format!("{layer}::{module}")));
    }
    named
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}
