//! SARIF output against the official schema of version 2.1.0.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

use crate::harness::{Sandbox, good_text};

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    // The schema as published has a stray bracket in the pattern for languages.
    let text = include_str!("data/sarif-2.1.0.schema.json").replace("{2}]?$", "{2}$");
    let schema: Value = serde_json::from_str(&text).unwrap();
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
});

/// Reads a log, and checks it against the schema.
pub(crate) fn parse(text: &str) -> Value {
    // The placeholder for the sandbox is not part of an address.
    let log: Value = serde_json::from_str(&text.replace("[DIR]", "/DIR")).unwrap();
    let errors: Vec<String> = SCHEMA
        .iter_errors(&log)
        .take(5)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    log
}

#[test]
fn the_schema_refuses_what_is_not_sarif() {
    assert!(!SCHEMA.is_valid(&serde_json::json!({"version": "2.1.0"})));
    let region = serde_json::json!({"version": "2.1.0", "runs": [{
        "tool": {"driver": {"name": "x"}},
        "results": [{"message": {"text": "x"}, "level": "fatal"}]
    }]});
    assert!(!SCHEMA.is_valid(&region));
}

#[test]
fn every_finding_of_the_fixtures_is_valid_sarif() {
    let sandbox = Sandbox::new();
    sandbox.copy_fixture("invalid", "invalid");
    let run = sandbox.run(["validate", "invalid", "-v", "--format", "sarif"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let log = parse(&run.stdout);
    let driver = &log["runs"][0]["tool"]["driver"];
    assert_eq!(driver["name"], "skills");
    let rules = driver["rules"].as_array().unwrap();
    assert_eq!(rules.len(), crate::harness::rules().len());
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert!(results.len() > 100);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"]["artifactLocation"];
        assert_eq!(place["uriBaseId"], "SRCROOT");
        assert!(place["uri"].as_str().unwrap().starts_with("invalid/"), "{place}");
    }
    let json = sandbox.json(["invalid"]);
    assert_eq!(json["findings"].as_array().unwrap().len(), results.len(), "notes are there too");
}

#[test]
fn a_clean_run_is_valid_sarif_without_results() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("pdf");
    let log = parse(&sandbox.run(["validate", "pdf", "--format", "sarif"]).stdout);
    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
}

#[test]
fn hostile_names_are_valid_sarif() {
    let sandbox = Sandbox::new();
    for name in ["a b%20?#\u{1b}[2J", "a\u{202e}\n\"<é>", "a:b"] {
        sandbox.skill(&format!("all/{name}"), "# No front matter\n");
    }
    let run = sandbox.run(["validate", "all", "--format", "sarif"]);
    let log = parse(&run.stdout);
    let uris: Vec<&str> = log["runs"][0]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
        .map(|uri| uri.as_str().unwrap())
        .collect();
    assert!(uris.contains(&"all/a%20b%2520%3F%23%1B%5B2J/SKILL.md"), "{uris:?}");
    assert!(uris.iter().all(|uri| uri.is_ascii()), "{uris:?}");
}

#[test]
fn files_outside_the_directory_have_absolute_addresses() {
    let sandbox = Sandbox::new();
    sandbox.skill("outside/pdf", "# No front matter\n");
    sandbox.mkdir("here");
    let run = sandbox.run(["-C", "here", "validate", "../outside/pdf", "--format", "sarif"]);
    let log = parse(&run.stdout);
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    let uri = place["artifactLocation"]["uri"].as_str().unwrap();
    assert_eq!(uri, "file:///DIR/project/outside/pdf/SKILL.md");
    assert_eq!(place["artifactLocation"].get("uriBaseId"), None);
}

#[test]
#[cfg(unix)]
fn the_root_of_the_file_system_has_an_address_too() {
    let sandbox = Sandbox::new();
    let skill = sandbox.skill("pdf", "# No front matter\n");
    let skill = skill.to_str().unwrap();
    let run = sandbox.run(["-C", "/", "validate", skill, "--format", "sarif"]);
    let log: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(log["runs"][0]["originalUriBaseIds"]["SRCROOT"]["uri"], "file:///");
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uriBaseId"], "SRCROOT");
    assert!(!place["artifactLocation"]["uri"].as_str().unwrap().starts_with('/'), "{place}");
}

#[test]
fn places_are_characters_not_bytes() {
    let sandbox = Sandbox::new();
    let body = "\nÜben: [x](fehlt.md)\n";
    sandbox.skill("pdf", &(good_text("pdf") + body));
    let log = parse(&sandbox.run(["validate", "pdf", "--format", "sarif"]).stdout);
    assert_eq!(log["runs"][0]["columnKind"], "unicodeCodePoints");
    let region = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startColumn"], 11);
    assert_eq!(region["endColumn"], 19);
}
