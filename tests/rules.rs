//! Every rule, both ways: it fires on its fixture, and does not fire on near misses.

use crate::built;
use crate::harness::{AGENTS, Sandbox, fixtures, rule_ids, rules, skip};

/// Two tests per rule, and the list of rules that have them.
macro_rules! rules {
    ($($test:ident $id:literal,)*) => {
        const TESTED: &[&str] = &[$($id),*];

        mod fires_on_its_fixture {
            $(#[test] fn $test() { super::fires($id); })*
        }

        mod leaves_near_misses_alone {
            $(#[test] fn $test() { super::is_silent($id); })*
        }
    };
}

rules! {
    missing_skill_md "missing-skill-md",
    skill_md_case "skill-md-case",
    not_utf8 "not-utf8",
    control_character "control-character",
    byte_order_mark "byte-order-mark",
    file_too_large "file-too-large",
    skill_too_large "skill-too-large",
    missing_frontmatter "missing-frontmatter",
    unclosed_frontmatter "unclosed-frontmatter",
    invalid_yaml "invalid-yaml",
    duplicate_key "duplicate-key",
    field_type "field-type",
    missing_name "missing-name",
    name_format "name-format",
    name_too_long "name-too-long",
    name_directory_mismatch "name-directory-mismatch",
    missing_description "missing-description",
    description_empty "description-empty",
    description_too_long "description-too-long",
    compatibility_length "compatibility-length",
    metadata_type "metadata-type",
    duplicate_name "duplicate-name",
    symlink "symlink",
    special_file "special-file",
    name_collision "name-collision",
    unsafe_file_name "unsafe-file-name",
    hidden_unicode "hidden-unicode",
    confusable_letters "confusable-letters",
    xml_in_description "xml-in-description",
    reserved_name "reserved-name",
    unknown_field "unknown-field",
    metadata_value "metadata-value",
    nested_skill "nested-skill",
    opaque_file "opaque-file",
    empty_body "empty-body",
    body_too_long "body-too-long",
    broken_link "broken-link",
    link_escapes_skill "link-escapes-skill",
    broad_tools "broad-tools",
    secret_in_file "secret-in-file",
    version_control_files "version-control-files",
    obfuscated_command "obfuscated-command",
    paste_site_link "paste-site-link",
    portable_file_name "portable-file-name",
    agent_compat "agent-compat",
    mcp_limits "mcp-limits",
    impossible_requirement "impossible-requirement",
    allowed_tools_format "allowed-tools-format",
    script_not_executable "script-not-executable",
    pipe_to_shell "pipe-to-shell",
    description_when "description-when",
    description_placeholder "description-placeholder",
    plugin_manifest "plugin-manifest",
    plugin_path "plugin-path",
    plugin_skill_skipped "plugin-skill-skipped",
}

#[test]
fn every_rule_has_fixtures_both_ways_and_tests() {
    for id in rules() {
        let id = id.as_str();
        for (kind, built) in [("invalid", built::invalid(id)), ("valid", built::valid(id))] {
            let folder = fixtures().join(kind).join(id);
            assert!(
                built.is_some() || folder.is_dir(),
                "the rule `{id}` has no {kind} fixture: add the folder fixtures/{kind}/{id}, \
                 or what cannot be committed to tests/built.rs"
            );
        }
        assert!(TESTED.contains(&id), "the rule `{id}` is not in the list of tests/rules.rs");
    }
    assert_eq!(TESTED.len(), rules().len(), "tests/rules.rs lists a rule that is gone");
}

#[test]
fn every_fixture_folder_is_named_after_a_rule() {
    for kind in ["invalid", "valid"] {
        for entry in fixtures().join(kind).read_dir().unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(TESTED.contains(&name.as_str()), "fixtures/{kind}/{name} is for no rule");
        }
    }
}

#[test]
fn the_valid_fixtures_pass_together() {
    let sandbox = Sandbox::new();
    let run = sandbox.run([
        "validate".as_ref(),
        "--strict".as_ref(),
        "--rule=unknown-field=off".as_ref(),
        fixtures().join("valid").as_os_str(),
    ]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.ends_with(" skills checked: no problems\n"), "{}", run.stdout);
    // At default settings, as in the documentation.
    let path = fixtures().join("valid");
    let run = sandbox.run(["validate".as_ref(), path.as_os_str()]);
    assert_eq!(run.code, 0, "{}", run.all());
}

#[test]
fn the_invalid_fixtures_fail_together() {
    let sandbox = Sandbox::new();
    let path = fixtures().join("invalid");
    let run = sandbox.run(["validate".as_ref(), path.as_os_str()]);
    assert_eq!(run.code, 1, "{}", run.stderr);
}

/// The fixture of a rule in a sandbox, in a directory named after the rule.
fn fixture(kind: &str, id: &str, build: Option<built::Build>) -> Sandbox {
    let sandbox = Sandbox::new();
    let folder = format!("{kind}/{id}");
    if fixtures().join(&folder).is_dir() {
        sandbox.copy_fixture(&folder, id);
    }
    if let Some(build) = build {
        build(&sandbox, id);
    }
    sandbox
}

fn fires(id: &str) {
    if !built::can_be_built(id) {
        skip("this system does not store the names it is about");
        return;
    }
    let sandbox = fixture("invalid", id, built::invalid(id));
    let report = sandbox.json(agents_for(id).flat_map(|agent| ["--agent", agent]).chain([id]));
    let fired = rule_ids(&report);
    assert!(fired.iter().any(|rule| rule == id), "`{id}` does not fire: {fired:?}");
    // Each skill of the fixture must make the rule fire.
    let findings = report["findings"].as_array().unwrap();
    for skill in report["skills"].as_array().unwrap() {
        let name = &skill["name"];
        // These are about files that belong to no skill.
        if ["plugin-manifest", "plugin-path"].contains(&id) {
            continue;
        }
        // A nested skill belongs to the fixture of the outer one.
        if id == "nested-skill" && name != "outer" {
            continue;
        }
        let here =
            findings.iter().any(|finding| finding["rule"] == id && finding["skill"] == *name);
        assert!(here, "`{id}` does not fire on the skill {name}");
    }
    let others = rules().into_iter().filter(|one| one != id);
    let mut args = vec!["validate".to_owned(), "-v".to_owned(), id.to_owned()];
    if id == "mcp-limits" {
        args.push("--agent=mcp".to_owned());
    }
    args.extend(others.map(|one| format!("--rule={one}=off")));
    let run = sandbox.run(&args);
    assert_eq!(run.stderr, "");
    assert_eq!(run.code, i32::from(run.stdout.contains("error[")), "{}", run.stdout);
    insta::with_settings!({
        snapshot_path => "snapshots",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::assert_snapshot!(id, run.stdout);
    });
}

/// Unless agents are named, one rule adds to the errors of others, and one does not run.
fn agents_for(id: &str) -> impl Iterator<Item = &'static str> {
    let all = AGENTS.into_iter().filter(move |_| id == "agent-compat");
    all.chain((id == "mcp-limits").then_some("mcp"))
}

fn is_silent(id: &str) {
    let sandbox = fixture("valid", id, built::valid(id));
    let agents = agents_for(id).filter(|agent| *agent == "mcp");
    let report = sandbox.json(agents.flat_map(|agent| ["--agent", agent]).chain([id]));
    assert!(!rule_ids(&report).iter().any(|rule| rule == id), "`{id}` fires: {report:#}");
    assert_eq!(report["summary"]["errors"], 0, "{report:#}");
    assert_eq!(report["summary"]["warnings"], 0, "{report:#}");
}
