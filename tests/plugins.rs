//! Plugins and marketplaces as sources: whose skills are whose, and which are chosen.

use serde_json::{Value, json};

use crate::harness::{Run, Sandbox, good_text, lacks, text};
use crate::origin::Origin;

const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
pub(crate) const MARKETPLACE: &str = ".claude-plugin/marketplace.json";

/// A marketplace with two plugins that both have a `pdf`, one that is listed, and two elsewhere.
fn shop(sandbox: &Sandbox, root: &str) {
    let market = json!({
        "name": "shop",
        "owner": { "name": "Ada" },
        "plugins": [
            { "name": "office", "source": "./plugins/office" },
            { "name": "print", "source": "./plugins/print" },
            { "name": "extra", "source": "./", "strict": false, "skills": ["./more/maps"] },
            { "name": "far", "source": { "source": "github", "repo": "team/far", "ref": "v2" } },
            { "name": "packed", "source": { "source": "npm", "package": "packed" } },
        ],
    });
    sandbox.write(format!("{root}/{MARKETPLACE}"), market.to_string());
    for (plugin, note) in [("office", "a"), ("print", "b")] {
        let place = format!("{root}/plugins/{plugin}");
        let manifest = json!({ "name": plugin }).to_string();
        sandbox.write(format!("{place}/.claude-plugin/plugin.json"), manifest);
        sandbox.good_skill(&format!("{place}/skills/pdf"));
        sandbox.write(format!("{place}/skills/pdf/note.txt"), note);
    }
    sandbox.good_skill(&format!("{root}/plugins/office/skills/csv"));
    sandbox.good_skill(&format!("{root}/more/maps"));
    sandbox.good_skill(&format!("{root}/more/loose"));
}

/// Each skill as `plugin:name status`.
pub(crate) fn rows(sandbox: &Sandbox, arguments: &[&str]) -> Vec<String> {
    let arguments = ["list", "--format", "json"].iter().chain(arguments);
    let report = sandbox.document(arguments);
    let skills = report["skills"].as_array().unwrap_or_else(|| panic!("{report:#}"));
    let row = |skill: &Value| {
        let part = |key: &str| skill[key].as_str().unwrap_or("-").to_owned();
        format!("{}:{} {}", part("plugin"), part("name"), part("status"))
    };
    let mut rows: Vec<String> = skills.iter().map(row).collect();
    rows.sort();
    rows
}

const ALL: [&str; 5] = [
    "-:loose active",
    "extra:maps active",
    "office:csv active",
    "office:pdf active",
    "print:pdf active",
];

#[track_caller]
pub(crate) fn has(run: &Run, code: i32, parts: &[&str]) {
    assert_eq!(run.code, code, "{}", run.all());
    for part in parts {
        assert!(run.all().contains(part), "{part}:\n{}", run.all());
    }
}

#[test]
fn a_list_names_the_plugin_of_each_skill() {
    let sandbox = Sandbox::new();
    shop(&sandbox, "shop");
    assert_eq!(rows(&sandbox, &["shop"]), ALL);
    let run = sandbox.run(["list", "shop"]);
    has(&run, 0, &["office:pdf", "print:pdf", "extra:maps", "5 skills: 5 active"]);
    assert!(run.stdout.starts_with("loose "), "{}", run.stdout);
    // Names for scripts stay plain.
    let names = sandbox.run(["list", "shop", "--format", "names"]).stdout;
    assert_eq!(names, "loose\nmaps\ncsv\npdf\n");
    has(
        &run,
        0,
        &[
            "note: 2 plugins of the marketplace are not part of this source",
            "`far` (`gh:team/far@v2`), `packed` (from npm)",
        ],
    );
}

#[test]
fn a_plugin_is_chosen_by_name() {
    let sandbox = Sandbox::new();
    shop(&sandbox, "shop");
    assert_eq!(rows(&sandbox, &["shop", "--plugin", "print"]), ["print:pdf active"]);
    assert_eq!(
        rows(&sandbox, &["shop", "--plugin", "print,extra"]),
        ["extra:maps active", "print:pdf active"]
    );
    assert_eq!(rows(&sandbox, &["shop", "--only", "office:pdf"]), ["office:pdf active"]);
    assert_eq!(rows(&sandbox, &["shop", "--plugin=office", "--only=pdf"]), ["office:pdf active"]);
    let report = sandbox.document(["validate", "shop", "--plugin", "print", "--format", "json"]);
    assert_eq!(report["summary"]["skills"], 1);
    let run = sandbox.run(["render", "shop", "--plugin", "extra"]);
    assert!(run.stdout.contains("maps") && !run.stdout.contains("pdf"), "{}", run.stdout);
    has(&sandbox.run(["pack", "shop", "--plugin", "print", "-o", "packed"]), 0, &["pdf.skill"]);
    assert!(!sandbox.path("packed/csv.skill").exists());
    let shown = sandbox.document(["show", "shop", "--plugin", "print", "--format", "json"]);
    assert_eq!(
        (&shown["skill"]["name"], &shown["skill"]["plugin"]),
        (&"pdf".into(), &"print".into())
    );
    let run = sandbox.run([
        "mount",
        "shop",
        "--plugin",
        "extra",
        "--",
        "sh",
        "-c",
        "ls ~/.claude/skills",
    ]);
    has(&run, 0, &["maps"]);
    assert!(!run.stdout.contains("csv"), "{}", run.stdout);
}

#[test]
fn an_unknown_plugin_is_an_error_that_names_the_others() {
    let sandbox = Sandbox::new();
    shop(&sandbox, "shop");
    let run = sandbox.run(["install", "shop", "--plugin", "offices", "--dir", "out"]);
    has(
        &run,
        2,
        &[
            "error: no plugin named `offices`",
            "did you mean `office`? available: extra, office, print",
        ],
    );
    let run = sandbox.run(["list", "shop", "--plugin", "far"]);
    has(
        &run,
        2,
        &["`far` is not part of this source", "name that as the source: `gh:team/far@v2`"],
    );
    let run = sandbox.run(["list", "shop", "--plugin", "packed"]);
    has(&run, 2, &["it comes from npm, which cannot be a source"]);
    let run = sandbox.run(["list", "shop", "--only", "ofice:pdf"]);
    has(&run, 2, &["no skill named `ofice:pdf`", "did you mean `office:pdf`?"]);
    sandbox.good_skill("plain/csv");
    let run = sandbox.run(["list", "plain", "--plugin", "office"]);
    has(&run, 2, &["there are no plugins"]);
    let run = sandbox.run(["list", "shop", "--plugin", "office", "--agent", "claude"]);
    has(&run, 2, &["`--plugin` cannot be used with `--agent`"]);
}

#[test]
fn skills_of_one_name_in_two_plugins_cannot_share_a_directory() {
    let sandbox = Sandbox::new();
    shop(&sandbox, "shop");
    let report = sandbox.document(["install", "shop", "--dir", "out", "--format", "json"]);
    let names = |key: &str| -> Vec<String> {
        let skills = report[key].as_array().unwrap_or_else(|| panic!("{report:#}"));
        skills.iter().map(|skill| skill["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("skills"), ["loose", "maps", "csv"]);
    assert_eq!(names("skipped"), ["pdf", "pdf"]);
    assert!(!sandbox.path("out/pdf").exists());
    let run = sandbox.run(["install", "shop", "--dir", "out", "--dry-run"]);
    has(&run, 0, &["choose a plugin, such as `--plugin office` or `--plugin print`"]);
    // Both are named, so both refuse the run.
    let run = sandbox.run(["install", "shop", "--dir", "out", "--only", "pdf"]);
    has(&run, 1, &["Duplicate skill name: pdf", "`--plugin office` or `--plugin print`"]);
    let run = sandbox.run(["install", "shop", "--dir", "out", "--plugin", "print"]);
    has(&run, 0, &["pdf"]);
    assert_eq!(sandbox.read("out/pdf/note.txt"), "b");
    let run = sandbox.run(["install", "shop", "--dir", "other", "--only", "office:pdf"]);
    has(&run, 0, &["pdf"]);
    assert_eq!(sandbox.read("other/pdf/note.txt"), "a");
    let run = sandbox.run(["show", "shop", "--only", "pdf"]);
    has(&run, 1, &["choose a plugin with `--plugin NAME`: office, print"]);
    // A prompt can hold both.
    let run = sandbox.run(["render", "shop"]);
    has(&run, 0, &["<name>office:pdf</name>", "<name>print:pdf</name>", "<name>csv</name>"]);
    // Identical skills are one skill.
    sandbox.write("shop/plugins/print/skills/pdf/note.txt", "a");
    assert_eq!(rows(&sandbox, &["shop"]), ALL);
    let run = sandbox.run(["install", "shop", "--dir", "same"]);
    has(&run, 0, &["same: 4 created"]);
}

#[test]
fn a_skill_outside_plugins_still_clashes() {
    let sandbox = Sandbox::new();
    shop(&sandbox, "shop");
    sandbox.skill("shop/more/pdf", &text("pdf", "license: MIT\n"));
    let invalid: Vec<String> =
        rows(&sandbox, &["shop"]).into_iter().filter(|row| row.ends_with("invalid")).collect();
    assert_eq!(invalid, ["-:pdf invalid", "office:pdf invalid", "print:pdf invalid"]);
}

#[test]
fn archives_and_commits_have_plugins_too() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::empty(&sandbox, "origin") else { return };
    shop(&sandbox, "../origin");
    origin.commit("Begin");
    let source = origin.source("");
    assert_eq!(rows(&sandbox, &[&source]), ALL);
    let run = sandbox.run(["install", &source, "--plugin", "office", "--dir", "../git"]);
    has(&run, 0, &["csv", "pdf"]);
    assert_eq!(sandbox.read("../git/pdf/note.txt"), "a");
    assert!(!sandbox.path("../git/maps").exists());
    // Another plugin's skill of the same name is not a newer version.
    let run = sandbox.run(["install", &source, "--plugin", "print", "--dir", "../git"]);
    has(&run, 1, &["pdf"]);
    assert_eq!(sandbox.read("../git/pdf/note.txt"), "a");
    // What was recorded is enough to bring it up to date.
    origin.write("plugins/office/skills/pdf/note.txt", "new");
    origin.commit("Change");
    has(&sandbox.run(["update", "--dir", "../git"]), 0, &["pdf"]);
    assert_eq!(sandbox.read("../git/pdf/note.txt"), "new");
    has(&sandbox.run(["show", "pdf", "--dir", "../git", "--diff"]), 0, &["has the same files"]);
    // Manifests are judged there as well.
    origin.write("plugins/print/.claude-plugin/plugin.json", "{]");
    origin.commit("Break");
    let run = sandbox.run(["validate", &origin.source("")]);
    has(&run, 1, &["error[plugin-manifest]: invalid JSON", "plugin.json:1:2"]);
    if lacks(&["tar"]) {
        return;
    }
    let run = sandbox.shell("tar czf shop.tar.gz -C ../origin --exclude .git .");
    assert_eq!(run.code, 0, "{}", run.all());
    let found = rows(&sandbox, &["shop.tar.gz"]);
    assert!(found.contains(&"office:csv active".to_owned()), "{found:?}");
    let wrapped = sandbox.shell("tar czf wrapped.tgz -C .. origin/.claude-plugin origin/plugins");
    assert_eq!(wrapped.code, 0, "{}", wrapped.all());
    let found = rows(&sandbox, &["wrapped.tgz", "--plugin", "office"]);
    assert_eq!(found, ["office:csv active", "office:pdf active"]);
    let run = sandbox.run(["validate", "wrapped.tgz", "--rule", "plugin-manifest=off"]);
    has(&run, 1, &["`./more/maps` does not exist"]);
}

#[test]
fn every_kind_of_manifest_is_known() {
    let sandbox = Sandbox::new();
    for (number, file) in [
        "plugin.json",
        ".claude-plugin/plugin.json",
        ".codex-plugin/plugin.json",
        ".cursor-plugin/plugin.json",
        ".github/plugin/plugin.json",
    ]
    .into_iter()
    .enumerate()
    {
        let root = format!("p{number}");
        sandbox.good_skill(&format!("{root}/skills/own-{number}"));
        sandbox.write(format!("{root}/{file}"), json!({ "name": root }).to_string());
        let expected = [format!("{root}:own-{number} active")];
        assert_eq!(rows(&sandbox, &[&root]), expected, "{file}");
        // A source inside the plugin belongs to it as well.
        assert_eq!(rows(&sandbox, &[&format!("{root}/skills")]), expected, "{file}");
        let skill = format!("{root}/skills/own-{number}");
        assert_eq!(rows(&sandbox, &[&skill]), expected, "{file}");
    }
    for (number, file) in [
        MARKETPLACE,
        ".agents/plugins/marketplace.json",
        ".cursor-plugin/marketplace.json",
        ".github/plugin/marketplace.json",
    ]
    .into_iter()
    .enumerate()
    {
        let root = format!("m{number}");
        sandbox.good_skill(&format!("{root}/in/skills/listed-{number}"));
        let source = json!({ "source": "local", "path": "./in" });
        let market = json!({ "name": "m", "plugins": [{ "name": "inner", "source": source }] });
        sandbox.write(format!("{root}/{file}"), market.to_string());
        let expected = format!("inner:listed-{number} active");
        assert_eq!(rows(&sandbox, &[&root]), [expected], "{file}");
    }
    // Other programs have files of this name.
    sandbox.good_skill("other/pdf");
    sandbox.write("other/plugin.json", r#"{"name": "of-another-program"}"#);
    assert_eq!(rows(&sandbox, &["other"]), ["-:pdf active"]);
    // A plugin that is a skill itself.
    sandbox.good_skill("whole");
    sandbox.write("whole/.claude-plugin/plugin.json", r#"{"name": "itself"}"#);
    assert_eq!(rows(&sandbox, &["whole"]), ["itself:whole active"]);
}

#[test]
fn clients_of_agent_plugins_skip_what_breaks_the_specification() {
    let sandbox = Sandbox::new();
    sandbox.write("p/plugin.json", json!({ "$schema": SCHEMA, "name": "p" }).to_string());
    sandbox.good_skill("p/skills/good");
    sandbox.good_skill("p/skills/group/deep");
    sandbox.skill("p/skills/other", &good_text("another"));
    let report = sandbox.json(["p"]);
    let skipped: Vec<(&str, &str)> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["rule"] == "plugin-skill-skipped")
        .map(|one| (one["skill"].as_str().unwrap(), one["message"].as_str().unwrap()))
        .collect();
    assert_eq!(
        skipped,
        [
            ("deep", "clients of Agent Plugins do not find it in `skills/group/deep`"),
            (
                "another",
                "clients of Agent Plugins skip it, because it breaks `name-directory-mismatch`"
            ),
        ]
    );
}

#[test]
fn findings_about_manifests_belong_to_no_skill() {
    let sandbox = Sandbox::repository();
    shop(&sandbox, "shop");
    sandbox.write("shop/plugins/print/.claude-plugin/plugin.json", "{\n  \"name\": 7\n}\n");
    let report = sandbox.json(["shop"]);
    let finding = &report["findings"][0];
    assert_eq!(finding["rule"], "plugin-manifest", "{report:#}");
    assert_eq!((&finding["line"], &finding["column"]), (&2.into(), &11.into()));
    assert_eq!(finding["skill"], Value::Null);
    let valid = report["skills"].as_array().unwrap().iter().all(|one| one["valid"] == true);
    assert!(valid && report["summary"]["errors"] == 1, "{report:#}");
    has(&sandbox.run(["validate", "shop", "--rule", "plugin-manifest=off"]), 0, &[]);
    for format in ["sarif", "github", "gitlab", "junit", "human"] {
        let run = sandbox.run(["validate", "shop", "--format", format]);
        has(&run, 1, &["plugin.json", "is a number, not a string"]);
    }
    let junit = sandbox.run(["validate", "shop", "--format", "junit"]).stdout;
    assert!(junit.contains("tests=\"6\" failures=\"1\""), "{junit}");
    has(&sandbox.run(["validate", "shop", "--write-baseline", "known.json"]), 0, &["1 finding"]);
    has(&sandbox.run(["validate", "shop", "--baseline", "known.json"]), 0, &["1 known finding"]);
    // A manifest that is wrong does not lose its skills.
    assert_eq!(rows(&sandbox, &["shop"]), ALL);
}

#[test]
fn a_plugin_that_is_described_twice_is_not_loaded_by_claude() {
    let sandbox = Sandbox::repository();
    shop(&sandbox, "shop");
    let market = |entry: Value| {
        let market = json!({ "name": "shop", "owner": { "name": "Ada" }, "plugins": [entry] });
        sandbox.write(format!("shop/{MARKETPLACE}"), market.to_string());
        sandbox.run(["validate", "shop"])
    };
    let (name, source, listed) = ("office", "./plugins/office", ["./skills"]);
    let twice = market(json!({"name": name, "source": source, "strict": false, "skills": listed}));
    has(&twice, 1, &["plugin-manifest", "Claude does not load this plugin", "or `skills`"]);
    let hooks = market(json!({"name": name, "source": source, "strict": false, "hooks": {}}));
    has(&hooks, 1, &["Claude does not load this plugin", "or `hooks`"]);
    for once in [
        json!({"name": name, "source": source, "strict": true, "skills": listed}),
        json!({"name": name, "source": source, "skills": listed}),
        json!({"name": name, "source": source, "strict": false}),
        json!({"name": "extra", "source": "./", "strict": false, "skills": ["./more/maps"]}),
    ] {
        has(&market(once), 0, &[]);
    }
}

#[test]
fn a_manifest_of_skills_may_name_a_marketplace() {
    let sandbox = Sandbox::new();
    shop(&sandbox, "shop");
    sandbox.write("skills.yaml", "skills:\n  - ./shop\n");
    let run = sandbox.run(["lock"]);
    has(&run, 0, &["skipped `pdf`"]);
    // The lock and everything that compares with it agree.
    has(&sandbox.run(["list", "--frozen"]), 0, &["office:pdf", "print:pdf"]);
    has(&sandbox.run(["validate", "--frozen"]), 0, &[]);
    has(&sandbox.run(["install", "--frozen", "--dir", "out"]), 0, &["csv", "maps"]);
    has(&sandbox.run(["verify", "--dir", "out"]), 0, &[]);
}
