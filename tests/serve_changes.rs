//! `skills serve` while files change, and where they must not.

use std::time::Duration;

use serde_json::json;

use crate::harness::{Sandbox, good_text};
use crate::origin::Origin;
use crate::registry_server::digest;
use crate::serve_client::{Served, meta, two_skills};
use crate::serve_skills::verify;

#[test]
fn changes_are_noticed_and_told_to_those_who_asked() {
    let sandbox = two_skills();
    let mut served = Served::session(&sandbox, &["skills"]);
    served.result("resources/subscribe", json!({ "uri": "skill://pdf/SKILL.md" }));
    let listen = json!({
        "jsonrpc": "2.0", "id": "news", "method": "subscriptions/listen",
        "params": { "_meta": meta(), "notifications": {
            "resourcesListChanged": true,
            "resourceSubscriptions": ["skill://csv/SKILL.md", "skill://new/SKILL.md"],
        } },
    });
    served.send(&listen);
    let first = served.hear("notifications/subscriptions/acknowledged");
    assert_eq!(first["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "news");
    assert_eq!(first["params"]["notifications"]["resourcesListChanged"], true);
    assert!(first["params"]["notifications"].get("toolsListChanged").is_none());
    // A new skill, written as most editors do.
    sandbox.write("skills/new/SKILL.md.tmp", good_text("new"));
    std::fs::rename(sandbox.path("skills/new/SKILL.md.tmp"), sandbox.path("skills/new/SKILL.md"))
        .unwrap();
    served.hear("notifications/tools/list_changed");
    served.hear("notifications/prompts/list_changed");
    let updated = served.hear("notifications/resources/updated");
    assert_eq!(updated["params"]["uri"], "skill://new/SKILL.md");
    assert!(verify(&mut served).contains(&"skill://new/SKILL.md".to_owned()));
    // Other bytes of the same length.
    served.news.clear();
    let changed = good_text("pdf").replace("Run it", "Ran it");
    sandbox.write("skills/pdf/SKILL.md", &changed);
    let updated = served.hear("notifications/resources/updated");
    assert_eq!(updated["params"], json!({ "uri": "skill://pdf/SKILL.md" }));
    served.hear("notifications/resources/list_changed");
    verify(&mut served);
    // A skill that is gone, or broken for a moment.
    std::fs::remove_dir_all(sandbox.path("skills/new")).unwrap();
    served.hear("notifications/prompts/list_changed");
    assert_eq!(verify(&mut served).len(), 2);
    sandbox.write("skills/csv/SKILL.md", "---\nname: [\n---\n");
    served.hear("notifications/prompts/list_changed");
    assert_eq!(verify(&mut served), ["skill://pdf/SKILL.md"]);
    sandbox.write("skills/csv/SKILL.md", good_text("csv"));
    served.hear("notifications/prompts/list_changed");
    assert_eq!(verify(&mut served).len(), 2);
    // Nobody is told anything after the end of a subscription.
    served.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "news" },
    }));
    served.result("resources/unsubscribe", json!({ "uri": "skill://pdf/SKILL.md" }));
    served.news.clear();
    sandbox.write("skills/pdf/SKILL.md", good_text("pdf"));
    served.hear("notifications/resources/list_changed");
    std::thread::sleep(Duration::from_millis(300));
    served.result("ping", json!({}));
    let rest = served.news.iter().filter(|one| {
        one["method"] == "notifications/resources/updated" || one["params"].get("_meta").is_some()
    });
    assert_eq!(rest.count(), 0, "{:?}", served.news);
}

#[test]
fn what_is_sent_is_what_is_there_at_that_moment() {
    let sandbox = two_skills();
    let mut served = Served::session(&sandbox, &["skills"]);
    let guide = "skills/pdf/references/a guide.md";
    let uri = "skill://pdf/references/a%20guide.md";
    served.result("skills/list", json!({}));
    sandbox.write(guide, "longer than it was");
    let read = served.result("resources/read", json!({ "uri": uri }));
    assert_eq!(read["contents"][0]["text"], "longer than it was");
    let got = served.result("skills/get", json!({ "uri": "skill://pdf/SKILL.md" }));
    let file =
        got["skill"]["resources"].as_array().unwrap().iter().find(|one| one["uri"] == uri).unwrap();
    assert_eq!(
        (&file["size"], &file["digest"]),
        (&json!(18), &json!(digest(b"longer than it was")))
    );
    std::fs::remove_file(sandbox.path(guide)).unwrap();
    assert_eq!(served.code("resources/read", json!({ "uri": uri })), -32_602);
    sandbox.write("skills/pdf/added.md", "new");
    verify(&mut served);
    // A skill that goes while it is served.
    std::fs::remove_dir_all(sandbox.path("skills/csv")).unwrap();
    assert_eq!(served.code("skills/get", json!({ "uri": "skill://csv/SKILL.md" })), -32_603);
    assert_eq!(served.code("resources/read", json!({ "uri": "skill://csv/SKILL.md" })), -32_602);
    assert!(served.tool("open_skill", json!({ "name": "csv" })).1);
    assert_eq!(verify(&mut served), ["skill://pdf/SKILL.md"]);
}

#[cfg(unix)]
#[test]
fn a_directory_that_a_link_replaces_is_not_read_through() {
    let sandbox = two_skills();
    sandbox.skill("elsewhere", &(good_text("csv") + "secret"));
    let mut served = Served::session(&sandbox, &["skills"]);
    std::fs::rename(sandbox.path("skills/csv"), sandbox.path("aside")).unwrap();
    sandbox.symlink(sandbox.path("elsewhere"), "skills/csv");
    for _ in 0..20 {
        for (method, params) in [
            ("resources/read", json!({ "uri": "skill://csv/SKILL.md" })),
            ("skills/get", json!({ "uri": "skill://csv/SKILL.md" })),
            ("prompts/get", json!({ "name": "csv" })),
        ] {
            let answer = served.ask(method, params);
            assert!(
                answer["error"].is_object() && !answer.to_string().contains("secret"),
                "{answer}"
            );
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_frozen_server_serves_what_is_locked_and_nothing_else() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("skills/pdf");
    sandbox.good_skill("skills/csv");
    sandbox.write("skills.yaml", "version: 1\nskills: [./skills]\n");
    assert_eq!(sandbox.run(["lock"]).code, 0);
    let mut served = Served::session(&sandbox, &["--frozen"]);
    assert_eq!(verify(&mut served).len(), 2);
    sandbox.write("skills/pdf/SKILL.md", good_text("pdf") + "More.\n");
    for _ in 0..10 {
        assert_eq!(verify(&mut served), ["skill://csv/SKILL.md"]);
        assert!(served.tool("open_skill", json!({ "name": "pdf" })).1);
        assert!(
            served.ask("resources/read", json!({ "uri": "skill://pdf/SKILL.md" }))["error"]
                .is_object()
        );
        std::thread::sleep(Duration::from_millis(100));
    }
    let run = sandbox.run_with(["serve", "--frozen"], |command| {
        command.write_stdin("");
    });
    assert_eq!(run.code, 1, "{}", run.stderr);
}

#[test]
fn archives_are_served_as_they_are() {
    let sandbox = two_skills();
    assert_eq!(sandbox.run(["pack", "skills/pdf", "-o", "pdf.skill"]).code, 0);
    let mut served = Served::session(&sandbox, &["pdf.skill"]);
    assert_eq!(verify(&mut served), ["skill://pdf/SKILL.md"]);
    let (opened, _) = served.tool("open_skill", json!({ "name": "pdf" }));
    assert!(opened.contains("<file>references/a guide.md</file>"), "{opened}");
}

#[test]
fn a_manifest_of_a_repository_is_asked_for_once_and_stays_as_it_is() {
    let sandbox = Sandbox::new();
    let Some(origin) = Origin::new(&sandbox) else { return };
    origin.write("skills.yaml", "skills: [./skills]\n");
    origin.commit("Add a manifest");
    let manifest = origin.source("@main");
    let mut served = Served::silent(&sandbox, &["--manifest", &manifest]);
    let found = served.result("server/discover", json!({ "_meta": meta() }));
    // Nothing can change, so nothing is told, and answers may be kept.
    assert_eq!(
        found["capabilities"]["resources"],
        json!({ "listChanged": false, "subscribe": false })
    );
    assert_eq!(found["ttlMs"], 3_600_000);
    drop(served);
    let mut served = Served::session(&sandbox, &["--manifest", &manifest, "--offline"]);
    assert_eq!(verify(&mut served), ["skill://csv/SKILL.md", "skill://pdf/SKILL.md"]);
    let (opened, _) = served.tool("open_skill", json!({ "name": "pdf" }));
    assert!(opened.contains("<file>scripts/run.sh</file>"), "{opened}");
}
