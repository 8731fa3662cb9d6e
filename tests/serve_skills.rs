//! `skills serve`: which skills it serves, and what it says about them.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::harness::{DESCRIPTION, Sandbox, base64, good_text, text};
use crate::registry_server::digest;
use crate::serve_client::{Served, meta, two_skills};

pub(crate) fn strings(values: &Value, key: &str) -> Vec<String> {
    let text = |value: &Value| value[key].as_str().unwrap_or_else(|| panic!("{value}")).to_owned();
    values.as_array().unwrap_or_else(|| panic!("{values}")).iter().map(text).collect()
}

/// The bytes that a client gets.
pub(crate) fn bytes(content: &Value) -> Vec<u8> {
    match content["text"].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => base64(content["blob"].as_str().unwrap()),
    }
}

/// Reads every file of every skill, and compares it with what the list says.
#[track_caller]
pub(crate) fn verify(served: &mut Served) -> Vec<String> {
    let mut uris = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let list = served.result("skills/list", json!({ "cursor": cursor }));
        for skill in list["skills"].as_array().unwrap() {
            let got = served.result("skills/get", json!({ "uri": skill["uri"] }));
            assert_eq!(&got["skill"], skill);
            let name = skill["frontmatter"]["name"].as_str().unwrap();
            assert!(
                skill["uri"]
                    .as_str()
                    .unwrap()
                    .ends_with(&format!("/{name}/SKILL.md").replace("//", "/"))
            );
            for file in skill["resources"].as_array().unwrap() {
                let read = served.result("resources/read", json!({ "uri": file["uri"] }));
                let content = &read["contents"][0];
                assert_eq!(content["uri"], file["uri"]);
                let bytes = bytes(content);
                assert_eq!(file["size"], bytes.len());
                assert_eq!(file["digest"], digest(&bytes), "{}", file["uri"]);
            }
            uris.push(skill["uri"].as_str().unwrap().to_owned());
        }
        match list.get("nextCursor") {
            Some(next) => cursor = next.clone(),
            None => return uris,
        }
    }
}

#[test]
fn front_matter_and_files_are_told_as_they_are() {
    let sandbox = two_skills();
    let more =
        "license: MIT\nmetadata:\n  version: 1.10\n  tags: [a, null, true, 0x1F]\nx-own: '1'\n";
    sandbox.write("skills/pdf/SKILL.md", text("pdf", more));
    sandbox.write("skills/pdf/.git/config", "x");
    sandbox.write("skills/pdf/empty.txt", "");
    let mut served = Served::session(&sandbox, &["skills"]);
    assert_eq!(verify(&mut served), ["skill://csv/SKILL.md", "skill://pdf/SKILL.md"]);
    let got = served.result("skills/get", json!({ "uri": "skill://pdf/SKILL.md" }));
    let expected = json!({
        "name": "pdf",
        "description": DESCRIPTION,
        "license": "MIT",
        "metadata": { "version": 1.1, "tags": ["a", null, true, 31] },
        "x-own": "1",
    });
    assert_eq!(got["skill"]["frontmatter"], expected);
    let files = [
        "skill://pdf/SKILL.md",
        "skill://pdf/assets/logo.png",
        "skill://pdf/empty.txt",
        "skill://pdf/references/a%20guide.md",
    ];
    assert_eq!(strings(&got["skill"]["resources"], "uri"), files);
    let list = served.result("resources/list", json!({}));
    assert_eq!(strings(&list["resources"], "uri")[1..], files);
    let skill_md = &list["resources"][1];
    assert_eq!((&skill_md["name"], &skill_md["description"]), (&json!("pdf"), &json!(DESCRIPTION)));
    assert_eq!(skill_md["mimeType"], "text/markdown");
    let templates = served.result("resources/templates/list", json!({}));
    assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "skill://{+path}");
}

#[test]
fn directories_list_their_children() {
    let sandbox = two_skills();
    sandbox.mkdir("skills/pdf/hollow");
    let mut served = Served::session(&sandbox, &["skills"]);
    let mut read = |uri: &str| {
        let listed = served.result("resources/directory/read", json!({ "uri": uri }));
        strings(&listed["resources"], "uri")
    };
    assert_eq!(
        read("skill://pdf"),
        [
            "skill://pdf/SKILL.md",
            "skill://pdf/assets",
            "skill://pdf/hollow",
            "skill://pdf/references"
        ]
    );
    assert_eq!(read("skill://pdf/references"), ["skill://pdf/references/a%20guide.md"]);
    assert_eq!(read("skill://pdf/hollow"), Vec::<String>::new());
    let listed = served.result("resources/directory/read", json!({ "uri": "skill://pdf" }));
    assert_eq!(listed["resources"][1]["mimeType"], "inode/directory");
}

#[test]
fn long_lists_come_in_parts_that_another_run_continues() {
    let sandbox = Sandbox::new();
    for number in 0..250 {
        sandbox.good_skill(&format!("skills/skill-{number:03}"));
    }
    for number in 0..300 {
        sandbox.write(format!("skills/skill-100/files/{number:03}.txt"), "x");
    }
    let mut served = Served::session(&sandbox, &["skills"]);
    assert_eq!(verify(&mut served).len(), 250);
    let mut all = Vec::new();
    let mut cursor = Value::Null;
    let mut parts = 0;
    loop {
        // Cursors mean the same in another run.
        let mut other = Served::session(&sandbox, &["skills"]);
        let list = other.result("resources/list", json!({ "cursor": cursor }));
        all.extend(strings(&list["resources"], "uri"));
        parts += 1;
        match list.get("nextCursor") {
            Some(next) => cursor = next.clone(),
            None => break,
        }
    }
    assert!(parts > 2, "{parts}");
    assert_eq!(all.len(), 550);
    let mut sorted = all.clone();
    sorted.dedup();
    assert_eq!(sorted.len(), all.len());
    let prompts = served.result("prompts/list", json!({}));
    assert_eq!(prompts["prompts"].as_array().unwrap().len(), 200);
    let prompts = served.result("prompts/list", json!({ "cursor": prompts["nextCursor"] }));
    assert_eq!(prompts["prompts"].as_array().unwrap().len(), 50);
    assert!(prompts.get("nextCursor").is_none());
    // A skill that comes or goes does not shift the rest.
    let first = served.result("skills/list", json!({}));
    std::fs::remove_dir_all(sandbox.path("skills/skill-050")).unwrap();
    let second = served.result("skills/list", json!({ "cursor": first["nextCursor"] }));
    assert_eq!(second["skills"][0]["uri"], "skill://skill-100/SKILL.md");
}

#[test]
fn the_verdict_decides_what_is_served() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/good");
    sandbox.skill("skills/off", &text("off", "enabled: false\n"));
    sandbox.skill("skills/hidden", &text("hidden", "disable-model-invocation: true\n"));
    sandbox.skill("skills/nobody", &text("nobody", "user-invocable: false\n"));
    sandbox.skill("skills/no-name", &good_text("x").replace("name: x\n", ""));
    sandbox.skill("skills/folder", &good_text("declared"));
    sandbox.skill("skills/one/twin", &good_text("twin"));
    sandbox.skill("skills/two/twin", &(good_text("twin") + "More.\n"));
    sandbox.skill("skills/bad", &good_text("bad").replace("Extract", "Ex\u{1b}tract"));
    sandbox.good_skill("skills/good/inner");
    for number in 0..512 {
        sandbox.write(format!("skills/big/{number}.txt"), "x");
    }
    sandbox.good_skill("skills/big");
    let mut served = Served::session(&sandbox, &["skills"]);
    let listed = ["declared", "good", "hidden", "nobody"];
    assert_eq!(verify(&mut served), listed.map(|name| format!("skill://{name}/SKILL.md")));
    // A skill that is not listed as one can still be opened.
    let (opened, is_error) = served.tool("open_skill", json!({ "name": "no-name" }));
    assert!(!is_error && opened.contains("Run it."), "{opened}");
    assert_eq!(served.code("skills/get", json!({ "uri": "skill://no-name/SKILL.md" })), -32_602);
    assert_eq!(served.code("skills/get", json!({ "uri": "skill://big/SKILL.md" })), -32_602);
    for name in ["off", "twin", "bad", "folder"] {
        let uri = format!("skill://{name}/SKILL.md");
        assert_eq!(served.code("resources/read", json!({ "uri": uri })), -32_602, "{name}");
        assert!(served.tool("open_skill", json!({ "name": name })).1, "{name}");
    }
    // Some are for people only, some for models only.
    let (said, is_error) = served.tool("open_skill", json!({ "name": "hidden" }));
    assert!(is_error && said.contains("for people only"), "{said}");
    let prompts = served.result("prompts/list", json!({}));
    assert_eq!(
        strings(&prompts["prompts"], "name"),
        ["big", "declared", "good", "hidden", "no-name"]
    );
    assert_eq!(served.code("prompts/get", json!({ "name": "nobody" })), -32_602);
    let tools = served.result("tools/list", json!({}));
    let about = tools["tools"][0]["description"].as_str().unwrap();
    assert!(about.contains("- **good**: ") && !about.contains("hidden"), "{about}");
    // What is not served, and why, is said at the start.
    let run = sandbox.run_with(["serve", "skills", "-v"], |command| {
        command.write_stdin("");
    });
    assert_eq!(run.code, 0);
    for words in [
        "twin/SKILL.md` is not served: duplicate-name: ",
        "bad/SKILL.md` is not served: ",
        "no-name/SKILL.md` is not listed as a skill, only its files and tools: its front matter has no \
         valid `name`",
        "big/SKILL.md` is not listed as a skill, only its files and tools: it has 513 files, and hosts \
         accept 512",
        "serving 6 skills on standard input and output",
    ] {
        assert!(run.stderr.contains(words), "{words}\n{}", run.stderr);
    }
    assert!(
        sandbox.rules_fired(["skills/big", "--agent", "mcp"]).contains(&"mcp-limits".to_owned())
    );
    assert!(!sandbox.rules_fired(["skills/big"]).contains(&"mcp-limits".to_owned()));
    for command in [&["install", "skills/good", "--agent", "mcp"][..], &["list", "--agent", "mcp"]]
    {
        let run = sandbox.run(command);
        assert_eq!(run.code, 2, "{}", run.stdout);
        assert!(run.stderr.contains("unknown agent `mcp`"), "{}", run.stderr);
    }
}

#[test]
fn skills_inside_skills_are_served_when_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("skills/outer");
    sandbox.good_skill("skills/outer/parts/inner");
    sandbox.skill("skills/outer/other-folder", &good_text("renamed"));
    let mut served = Served::session(&sandbox, &["skills"]);
    assert_eq!(verify(&mut served), ["skill://outer/SKILL.md"]);
    // The files belong to the skill around them anyway.
    let uri = "skill://outer/parts/inner/SKILL.md";
    assert!(served.ask("resources/read", json!({ "uri": uri }))["result"].is_object());
    let mut served = Served::session(&sandbox, &["skills", "--nested"]);
    let uris = ["skill://outer/SKILL.md", uri, "skill://outer/renamed/SKILL.md"];
    assert_eq!(verify(&mut served), uris);
    let outer = served.result("skills/get", json!({ "uri": uris[0] }));
    let files = strings(&outer["skill"]["resources"], "uri");
    assert!(files.contains(&uri.to_owned()), "{files:?}");
    let listed = served.result("resources/list", json!({}));
    let mut once = strings(&listed["resources"], "uri");
    let all = once.len();
    once.dedup();
    assert_eq!(once.len(), all);
    for name in ["inner", "outer/parts/inner", uri] {
        let (opened, is_error) = served.tool("open_skill", json!({ "name": name }));
        assert!(!is_error && opened.contains("skill://outer/parts/inner<"), "{opened}");
    }
    let read = json!({ "name": "outer", "path": "parts/inner/SKILL.md" });
    assert!(!served.tool("read_skill_file", read).1);
}

#[test]
fn skills_of_two_plugins_share_a_name_and_not_an_address() {
    let sandbox = Sandbox::new();
    for plugin in ["acme", "other"] {
        let about = format!("{{\"name\": \"{plugin}\", \"version\": \"1.0.0\"}}");
        sandbox.write(format!("plugins/{plugin}/.claude-plugin/plugin.json"), about);
        let text = good_text("pdf") + plugin;
        sandbox.write(format!("plugins/{plugin}/skills/pdf/SKILL.md"), text);
    }
    let mut served = Served::session(&sandbox, &["plugins"]);
    assert_eq!(verify(&mut served), ["skill://acme/pdf/SKILL.md", "skill://other/pdf/SKILL.md"]);
    let (said, is_error) = served.tool("open_skill", json!({ "name": "pdf" }));
    assert!(is_error && said.contains("Use one of: acme/pdf, other/pdf"), "{said}");
    for name in ["acme/pdf", "acme:pdf", "skill://acme/pdf", "skill://acme/pdf/SKILL.md"] {
        let (opened, is_error) = served.tool("open_skill", json!({ "name": name }));
        assert!(!is_error && opened.contains("Run it.\nacme"), "{name}: {opened}");
    }
    let tools = served.result("tools/list", json!({}));
    let about = tools["tools"][0]["description"].as_str().unwrap();
    assert!(about.contains("- **acme:pdf**: ") && about.contains("- **other:pdf**: "), "{about}");
    let listed = served.result("resources/directory/read", json!({ "uri": "skill://acme" }));
    assert_eq!(strings(&listed["resources"], "uri"), ["skill://acme/pdf"]);
    let prompts = served.result("prompts/list", json!({}));
    assert_eq!(strings(&prompts["prompts"], "name"), ["acme/pdf", "other/pdf"]);
    let mut one = Served::session(&sandbox, &["plugins", "--plugin", "other"]);
    assert_eq!(verify(&mut one), ["skill://other/pdf/SKILL.md"]);
}

const MANIFEST: &str = r#"version: 1
key_prefix: team
params: { language: python }
skills:
  - ./skills
  - source: ./one.md
    name: given
  - source: ./other/pdf
    name: renamed
  - source: ./off
    enabled: { param: language, equals: rust }
  - source: ./extra/zip
    section: archives
  - inline:
      name: review
      title: Review
      description: Reviews code. Use for reviews.
      template: Review $language code.
  - inline:
      name: lint
      title: Lint
      description: Runs the linter.
      template: Lint it.
      tools: [run_lint]
      visibility: summary
sections:
  archives: { visibility: summary, title: Archives, description: Packs archives. }
"#;

fn manifest() -> Sandbox {
    let sandbox = Sandbox::repository();
    for skill in ["skills/csv", "other/pdf", "extra/zip", "off"] {
        sandbox.good_skill(skill);
    }
    sandbox.write("one.md", good_text("whatever"));
    sandbox.write("skills.yaml", MANIFEST);
    sandbox
}

#[test]
fn a_manifest_names_inline_renamed_and_conditional_skills() {
    let sandbox = manifest();
    let mut served = Served::session(&sandbox, &[]);
    let names = ["csv", "given", "renamed", "review"];
    assert_eq!(verify(&mut served), names.map(|name| format!("skill://{name}/SKILL.md")));
    let read = served.result("resources/read", json!({ "uri": "skill://given/SKILL.md" }));
    assert!(read["contents"][0]["text"].as_str().unwrap().starts_with("---\nname: given\n"));
    let (review, _) = served.tool("open_skill", json!({ "name": "review" }));
    assert!(review.contains("Review python code."), "{review}");
    let mut rust = Served::session(&sandbox, &["--param", "language=rust", "--deny", "g*"]);
    let names = ["csv", "off", "renamed", "review"];
    assert_eq!(verify(&mut rust), names.map(|name| format!("skill://{name}/SKILL.md")));
    let manifest = sandbox.path("skills.yaml");
    let mut named =
        Served::session(&sandbox, &["--manifest", manifest.to_str().unwrap(), "--only", "csv"]);
    assert_eq!(verify(&mut named), ["skill://csv/SKILL.md"]);
}

#[test]
fn what_a_prompt_tells_a_model_to_call_can_be_called() {
    let sandbox = manifest();
    let mut served = Served::session(&sandbox, &["--events", "used.jsonl"]);
    let tools = served.result("tools/list", json!({}));
    assert_eq!(
        strings(&tools["tools"], "name"),
        ["open_skill", "read_skill_file", "open_sections"]
    );
    let about = tools["tools"][2]["description"].as_str().unwrap();
    // The words are those of `render`.
    let rendered = sandbox.run(["render", "--format", "markdown"]).stdout;
    for words in [
        "[Skill: lint] Runs the linter.",
        "Call `open_sections` with key \"team.lint\" to view full workflow and access tools: run_lint.]",
        "[Section: Archives] Packs archives.",
        "Call `open_sections` with key \"team.archives\" to view its skills.]",
    ] {
        assert!(rendered.contains(words) && about.contains(words), "{about}\n{rendered}");
    }
    let (lint, is_error) = served.tool("open_sections", json!({ "keys": ["team.lint"] }));
    assert!(!is_error);
    assert_eq!(lint, "## Lint\n\nLint it.\n\nTools: run_lint");
    // A skill of a closed section is in no list, and is opened once the section has named it.
    let (archives, is_error) = served.tool("open_sections", json!({ "key": "team.archives" }));
    assert!(!is_error && archives.contains(&format!("- **zip**: {DESCRIPTION}")), "{archives}");
    assert!(!archives.contains("csv") && !archives.contains(sandbox.root_text()), "{archives}");
    assert!(!served.tool("open_skill", json!({ "name": "zip" })).1);
    let got = served.result("skills/get", json!({ "uri": "skill://zip/SKILL.md" }));
    assert_eq!(got["skill"]["frontmatter"]["name"], "zip");
    served.end();
    let events: Vec<Value> = sandbox
        .read("used.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let short: Vec<(&str, &str)> = events
        .iter()
        .map(|event| (event["type"].as_str().unwrap(), event["skill_name"].as_str().unwrap()))
        .collect();
    let expected =
        [("skill_expanded", "lint"), ("skill_expanded", "zip"), ("skill_activated", "zip")];
    assert_eq!(short, expected);
    assert_eq!(events[0]["skill_key"], "team.lint");
    let bytes = events[2]["bytes"].as_u64().unwrap();
    assert!(bytes > 0 && events[2]["tokens"] == bytes.div_ceil(4), "{:#}", events[2]);
    assert_eq!(events[0]["prompt_key"], "serve");
}

#[test]
fn opening_a_section_says_what_is_in_it_and_what_its_tools_take() {
    let sandbox = manifest();
    let more = MANIFEST
        .replace("tools: [run_lint]", "tools: [{name: run_lint, description: Runs., parameters: {type: object}}, other]\n      children: [archives]")
        .replace("section: archives", "section: packed")
        .replace("Packs archives. }", "Packs archives., children: [packed] }\n  packed: { title: Packed, visibility: summary }");
    sandbox.write("skills.yaml", more);
    let mut served = Served::session(&sandbox, &[]);
    let about = served.result("tools/list", json!({}))["tools"][2]["description"].to_string();
    assert!(
        about.contains("view full workflow and its skills and access tools: run_lint, other."),
        "{about}"
    );
    let open = |served: &mut Served, key: &str| {
        let call = json!({ "name": "open_sections", "arguments": { "keys": [key] } });
        let content = served.result("tools/call", call)["content"].clone();
        let texts: Vec<String> = strings(&content, "text");
        texts
    };
    let opened = open(&mut served, "team.lint");
    let text =
        "## Lint\n\nLint it.\n\nTools: run_lint, other\n\n[Section: Archives] Packs archives.\n\n";
    assert!(opened[0].starts_with(text), "{}", opened[0]);
    // What the manifest says about tools, for the program that has them.
    let tools: Value = serde_json::from_str(&opened[1]).unwrap();
    let run_lint =
        json!({ "name": "run_lint", "description": "Runs.", "parameters": { "type": "object" } });
    assert_eq!(tools, json!({ "tools": [run_lint] }));
    let skill = served
        .result("tools/call", json!({ "name": "open_skill", "arguments": { "name": "lint" } }));
    assert_eq!(strings(&skill["content"], "text")[1], opened[1]);
    // A section that was opened is a heading; what was there before is not told again.
    let packed = "[Section: Packed]\n\n---\n[This section is summarized. Call `open_sections` with key \
                  \"team.packed\" to view its skills.]";
    assert_eq!(
        open(&mut served, "archives"),
        [format!("## Archives\n\nPacks archives.\n\n{packed}")]
    );
    let zip = format!("- **zip**: {DESCRIPTION}");
    assert_eq!(open(&mut served, "packed"), [zip]);
}

#[test]
fn render_and_serve_say_the_same_words() {
    let sandbox = two_skills();
    let mut served = Served::session(&sandbox, &["skills", "--events", "used.jsonl"]);
    let rendered = sandbox.run(["render", "skills", "--activate", "pdf", "--user", "Go on"]).stdout;
    let got =
        served.result("prompts/get", json!({ "name": "pdf", "arguments": { "request": "Go on" } }));
    let said = got["messages"][0]["content"]["text"].as_str().unwrap();
    let skill = "[DIR]/project/skills/pdf";
    let expected = rendered.replace(&format!("{skill}/SKILL.md"), "skill://pdf/SKILL.md");
    assert_eq!(said, expected.replace(skill, "skill://pdf").trim_end());
    let rendered =
        sandbox.run(["render", "skills", "--format", "markdown", "--no-instructions"]).stdout;
    let (all, _) = served.tool("open_skill", json!({}));
    assert_eq!(all, rendered.replace("[DIR]/project/skills/", "skill://").trim_end());
    // A file for a model: text as it is, a picture as such.
    let read = json!({ "name": "pdf", "path": "references/a guide.md" });
    assert_eq!(served.tool("read_skill_file", read).0, "# Guide\n");
    let picture = json!({ "name": "read_skill_file", "arguments": { "name": "pdf", "path": "assets/logo.png" } });
    let picture = served.result("tools/call", picture);
    assert_eq!(picture["content"][0]["type"], "image");
    assert_eq!(picture["content"][0]["data"], "iVBORw0KGgr/");
    // Three ways to use a skill are counted alike.
    served.result("resources/read", json!({ "uri": "skill://csv/SKILL.md" }));
    served.result("resources/read", json!({ "uri": "skill://pdf/references/a%20guide.md" }));
    served.tool("open_skill", json!({ "name": "csv" }));
    served.end();
    let used = sandbox.read("used.jsonl");
    let names: Vec<&str> = used
        .lines()
        .filter_map(|line| line.split("\"skill_name\":\"").nth(1)?.split('"').next())
        .collect();
    assert_eq!(names, ["pdf", "csv", "csv"]);
    assert!(used.contains("\"type\":\"skill_activated\""));
}

#[test]
fn the_catalogue_is_where_it_is_wanted_and_within_its_budget() {
    let sandbox = Sandbox::new();
    for number in 0..120 {
        sandbox.good_skill(&format!("skills/skill-{number}"));
    }
    let both = |args: &[&str]| {
        let mut served = Served::silent(&sandbox, args);
        let found = served.result("server/discover", json!({ "_meta": meta() }));
        let tools = served.result("tools/list", json!({ "_meta": meta() }));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&found["instructions"]), text(&tools["tools"][0]["description"]))
    };
    let (instructions, tool) = both(&["skills"]);
    assert!(!instructions.contains("skill-7") && tool.contains("- **skill-7**"), "{tool}");
    assert!(tool.chars().count() <= 4_000);
    let (instructions, tool) =
        both(&["skills", "--catalog", "instructions", "--catalog-budget", "600"]);
    assert!(instructions.contains("skill-10") && !tool.contains("skill-10"), "{instructions}");
    assert!(
        instructions.chars().count() <= 600 && instructions.contains(" more skills"),
        "{instructions}"
    );
    let (instructions, tool) = both(&["skills", "--catalog", "off"]);
    assert!(!instructions.contains("skill-7") && !tool.contains("skill-7"));
}

#[test]
fn print_config_prints_what_to_put_where() {
    let sandbox = two_skills();
    let print = |client: &str, more: &[&str]| {
        let run = sandbox.run(["serve", "skills", "--print-config", client].iter().chain(more));
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stderr.starts_with("note: add this to "), "{}", run.stderr);
        run.stdout
    };
    let json =
        |client: &str, more: &[&str]| serde_json::from_str::<Value>(&print(client, more)).unwrap();
    let args = json!(["serve", "[DIR]/project/skills"]);
    for client in ["claude", "cursor", "gemini"] {
        let own = &json(client, &[])["mcpServers"]["skills"];
        assert_eq!((&own["command"], &own["args"]), (&json!("skills"), &args), "{client}");
    }
    assert_eq!(json("vscode", &[])["servers"]["skills"]["args"], args);
    let command = &json("opencode", &[])["mcp"]["skills"]["command"];
    assert_eq!(*command, json!(["skills", "serve", "[DIR]/project/skills"]));
    let toml = "[mcp_servers.skills]\ncommand = \"skills\"\nargs = [\"serve\", \"[DIR]/project/skills\"]\n";
    assert_eq!(print("codex", &[]), toml);
    let http = ["--http", "127.0.0.1:8321"];
    for client in ["claude", "vscode", "cursor", "gemini", "opencode", "codex"] {
        let text = print(client, &http);
        assert!(text.contains("http://127.0.0.1:8321/mcp"), "{text}");
        assert!(text.contains("SKILLS_SERVE_TOKEN"), "{text}");
    }
    let all =
        json("claude", &["--nested", "--deny", "x*", "--catalog", "off", "--events", "used.jsonl"]);
    let mut words = String::new();
    for word in all["mcpServers"]["skills"]["args"].as_array().unwrap() {
        write!(words, "{} ", word.as_str().unwrap()).unwrap();
    }
    let expected = "serve [DIR]/project/skills --deny x* --catalog off --events \
        [DIR]/project/used.jsonl --nested ";
    assert_eq!(words, expected);
}
