//! What hostile manifests of plugins cannot do.

use serde_json::{Value, json};

use crate::harness::Sandbox;
use crate::plugins::{MARKETPLACE, has, rows};

#[test]
fn hostile_manifests_reach_nothing_and_end_nothing() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("out/secret");
    sandbox.write("out/plugin.json", "{\"name\":\"outside\"}");
    sandbox.good_skill("src/skills/pdf");
    let deep = format!("{{\"plugins\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
    let many: Vec<Value> =
        (0..20_000).map(|n| json!({ "name": format!("p{n}"), "source": "./" })).collect();
    let long = "x".repeat(500_000);
    let hostile = [
        deep,
        json!({ "name": long, "owner": {}, "plugins": [{ "name": long, "source": long }] })
            .to_string(),
        json!({ "plugins": [{ "name": "a", "source": "../out" },
            { "name": "b", "source": "/" }, { "name": "c", "source": "./x/../../out" },
            { "name": "d", "source": "./", "skills": ["../out/secret", "..\\out", "C:\\x"] }] })
        .to_string(),
        json!({ "plugins": [{ "name": "\u{1b}[31mred\u{202e}", "source": "./" },
            { "name": "e", "source": { "source": "\u{1b}]0;x\u{7}", "url": "ext::sh -c id" } },
            { "name": "f", "source": { "source": "url", "url": "https://u:token@h.example/x" } }] })
        .to_string(),
        "\u{feff}{}".to_owned(),
        "\0".to_owned(),
        String::new(),
        json!({ "plugins": many }).to_string(),
        "[{".repeat(300_000),
    ];
    for text in hostile {
        sandbox.write(format!("src/{MARKETPLACE}"), &text);
        sandbox.write("src/.claude-plugin/plugin.json", &text);
        sandbox.write("src/plugin.json", &text);
        let shown: String = text.chars().take(60).collect();
        for verb in ["list", "validate", "install"] {
            let mut arguments = vec![verb, "src"];
            if verb == "install" {
                arguments.extend(["--dir", "into"]);
            }
            let run = sandbox.run(&arguments);
            assert!(run.code <= 1, "{verb} {shown}: {}", run.all());
            let all = run.all();
            assert!(!all.contains('\u{1b}') && !all.contains('\u{202e}'), "{shown}: {all}");
            assert!(!all.contains("u:token"), "{shown}: {all}");
        }
        let found = rows(&sandbox, &["src"]);
        assert!(found.len() == 1 && found[0].ends_with(":pdf active"), "{shown}: {found:?}");
    }
}

#[cfg(unix)]
#[test]
fn manifests_are_not_read_through_links_that_leave() {
    let sandbox = Sandbox::new();
    sandbox.write("outside.json", "{\"name\":\"outside\"}");
    sandbox.good_skill("src/skills/pdf");
    sandbox.mkdir("src/.claude-plugin");
    sandbox.symlink(sandbox.path("outside.json"), "src/.claude-plugin/plugin.json");
    assert_eq!(rows(&sandbox, &["src"]), ["-:pdf active"]);
    has(&sandbox.run(["validate", "src"]), 1, &["plugin-manifest", "a link that leads out"]);
    // Inside, a link is as good as a file.
    std::fs::remove_file(sandbox.path("src/.claude-plugin/plugin.json")).unwrap();
    sandbox.write("src/common.json", "{\"name\":\"inside\"}");
    sandbox.symlink("../common.json", "src/.claude-plugin/plugin.json");
    assert_eq!(rows(&sandbox, &["src"]), ["inside:pdf active"]);
    // Nothing waits for a pipe.
    std::fs::remove_file(sandbox.path("src/.claude-plugin/plugin.json")).unwrap();
    sandbox.fifo("src/.claude-plugin/plugin.json");
    has(&sandbox.run(["validate", "src"]), 1, &["because it is a named pipe"]);
    // A path through a link that leaves is refused, and its skills are not found.
    std::fs::remove_file(sandbox.path("src/.claude-plugin/plugin.json")).unwrap();
    sandbox.good_skill("elsewhere/csv");
    sandbox.symlink(sandbox.path("elsewhere"), "src/linked");
    let manifest = json!({ "name": "p", "skills": ["./linked"] }).to_string();
    sandbox.write("src/.claude-plugin/plugin.json", manifest);
    let run = sandbox.run(["validate", "src"]);
    has(&run, 1, &["error[plugin-path]: `./linked` leads out of the plugin"]);
    assert_eq!(rows(&sandbox, &["src"]), ["p:pdf active"]);
}
