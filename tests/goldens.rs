//! Sessions whose every byte must stay: files that we write and read back, archives, documents in
//! JSON, help, and the order in which things are reported.
//!
//! A change of a snapshot here changes what users have on disk or in their scripts.

use std::fmt::Write as _;

use crate::harness::{Sandbox, good_text, lacks, text, verbs};
use crate::pasted::mirrored;
use crate::registry_server::Registry;
use crate::server::Server;

/// What differs from run to run and means nothing: times, and the ports of local servers.
const FILTERS: [(&str, &str); 6] = [
    (r"\d{8}T\d{9}Z", "[TIME]"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "[TIME]"),
    (r#""(event_id|session_id)": ?"[0-9a-f-]+""#, r#""$1":"[ID]""#),
    (r"127\.0\.0\.1:\d+", "[HOST]"),
    (r"skills-home-\w+", "[HOME]"),
    (r#""created_at": ?[0-9.]+"#, r#""created_at":[TIME]"#),
];

/// Runs the lines one after the other, and writes down what they print. `skills` is the program;
/// any other line is one of shell.
fn session(sandbox: &Sandbox, lines: &str) -> String {
    let mut transcript = String::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let run = sandbox.shell(&format!("skills() {{ \"$SKILLS\" \"$@\"; }}; {line}"));
        let _ = write!(transcript, "$ {line}\n{}", run.stdout);
        // Servers are asked in parallel, so these lines have no order.
        for line in run.stderr.lines().filter(|line| !line.starts_with("note: fetching ")) {
            let _ = writeln!(transcript, "! {line}");
        }
        if run.code != 0 {
            let _ = writeln!(transcript, "exit {}", run.code);
        }
    }
    transcript
}

/// Compares a text with its snapshot.
pub(crate) fn golden(name: &str, text: &str) {
    insta::with_settings!({ filters => FILTERS, omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(format!("golden-{name}"), text);
    });
}

/// Three skills: one with a script and references, one with fields of agents, one that is simple.
fn skills(sandbox: &Sandbox, directory: &str) {
    let rich = "license: MIT\nmetadata:\n  version: 1.2.3\n  author: Ann\nallowed-tools: Read\n";
    sandbox.skill(&format!("{directory}/rich"), &text("rich", rich));
    sandbox.write(format!("{directory}/rich/scripts/run.sh"), "#!/bin/sh\necho hi\n");
    sandbox.write(format!("{directory}/rich/references/guide.md"), "# Guide\n");
    #[cfg(unix)]
    sandbox.chmod(format!("{directory}/rich/scripts/run.sh"), 0o755);
    let fields = "argument-hint: \"[file]\"\nuser-invocable: false\n";
    sandbox.skill(&format!("{directory}/fields"), &text("fields", fields));
    sandbox.good_skill(&format!("{directory}/simple"));
}

#[test]
fn help_of_every_command() {
    let mut lines = vec!["-h".to_owned(), "--help".to_owned(), "--version".to_owned()];
    lines.extend(verbs().iter().map(|verb| format!("{verb} --help")));
    let lines: String = lines.iter().map(|line| format!("COLUMNS=100 skills {line}\n")).collect();
    golden("help", &session(&Sandbox::new(), &lines));
}

#[test]
fn records_backups_and_reports_of_copies() {
    let sandbox = Sandbox::repository();
    skills(&sandbox, "src");
    sandbox.write("single.md", good_text("single"));
    sandbox.write(
        "inline.yaml",
        "version: 1\nskills:\n  - inline:\n      name: hello\n      title: Hello\n      \
         description: \"Greet: say hello. Use when the user says hello.\"\n      template: Say hello.\n",
    );
    let transcript = session(
        &sandbox,
        "skills pack src/rich
        skills install src rich.skill --only simple --only fields --agent claude,codex
        skills install rich.skill single.md --name other
        skills install rich.skill
        skills install single.md
        skills install --manifest inline.yaml
        cat ~/.claude/skills/hello/SKILL.md
        skills install src/simple --agent claude --scope project
        cat .claude/skills/.skills-index.json
        cat ~/.claude/skills/.skills-index.json
        cat ~/.agents/skills/.skills-index.json
        skills install src --link --dir linked
        cat linked/.skills-index.json
        skills verify
        skills disable rich
        cat ~/.claude/skills/.skills-index.json
        ls -A ~/.claude ~/.claude/.skills-disabled/of-skills
        skills enable rich --format json
        echo more >> src/simple/SKILL.md
        echo mine >> ~/.agents/skills/simple/SKILL.md
        skills verify --format json
        skills update --dry-run
        skills update --check --format json
        skills update --format json
        skills update --undo
        skills remove simple
        skills remove simple --force --agent codex
        ls -A ~/.agents/skills
        skills remove 'f*' rich hello --format json
        cat ~/.claude/skills/.skills-index.json",
    );
    golden("records", &transcript);
}

#[test]
fn sources_in_reverse_order_and_a_broken_promise() {
    let sandbox = Sandbox::repository();
    for directory in ["z/one", "a/two", "z/nested/three"] {
        sandbox.good_skill(directory);
    }
    sandbox.good_skill("z/one/inner");
    sandbox.skill("a/wrong", &text("other", "compatibility: ''\n"));
    sandbox.skill("z/broken", "---\nname: broken\ndescription: Use when: x\n---\n\nText.\n");
    sandbox.mkdir("z/.claude/skills/promised");
    sandbox.write("a/.claude/skills/kept/readme.md", "Text.\n");
    let transcript = session(
        &sandbox,
        "skills validate z a
        skills validate z a --format json
        skills list z a
        skills list z a --format json
        skills render z a
        skills install z a --dir out --dry-run
        skills install z a --dir out
        cat out/.skills-index.json
        skills install z/promised --dir out
        skills install z --only three --only nope --dir out",
    );
    golden("orders", &transcript);
}

#[test]
fn locks_with_revisions_and_records_of_a_clone() {
    let sandbox = Sandbox::repository();
    let Some(origin) = mirrored(&sandbox) else { return };
    origin.git(&["checkout", "--quiet", "-b", "feat/x"]);
    origin.git(&["checkout", "--quiet", "main"]);
    origin.write("skills/pdf/more.md", "More.\n");
    origin.commit("More");
    sandbox.good_skill("own/lint");
    sandbox.write(
        "skills.yaml",
        "version: 1\nskills:\n  - source: gh:owner/repo/skills/pdf@v1\n    name: old\n  - \
         gh:owner/repo/skills/pdf@main\n  - source: https://github.com/owner/repo/tree/feat/x/skills/csv\n    \
         name: branch\n  - git+https://github.com/owner/repo//skills/csv\n  - ./own\n",
    );
    let transcript = session(
        &sandbox,
        "skills lock
        cat skills.lock
        skills lock --format json
        skills install --dir copies
        cat copies/.skills-index.json
        skills update --dir copies --dry-run
        skills sync --scope project
        cat .claude/skills/.skills-index.json
        skills install gh:owner/repo/skills/csv --dir again -q
        cat again/.skills-index.json
        skills update --dir again
        skills install own/lint --dir again -q
        echo more >> own/lint/SKILL.md
        skills update --dir again
        skills outdated
        skills outdated --format json
        skills sync --dir synced --format json
        skills verify --dir copies --frozen --format json
        skills cache --format json | grep -v bytes
        skills verify --dir copies --frozen",
    );
    golden("locks", &transcript);
}

#[test]
fn archives_and_what_registries_get() {
    if lacks(&["sha256sum"]) {
        return;
    }
    let sandbox = Sandbox::new();
    skills(&sandbox, "src");
    let registry = Registry::new();
    let at = registry.at("team");
    let transcript = session(
        &sandbox,
        &format!(
            "skills pack src -o packed
            skills pack src/rich -o rich.skill
            (cd packed && sha256sum *)
            sha256sum rich.skill
            skills pack src --index site
            (cd site && find . -type f | LC_ALL=C sort | xargs sha256sum && cat index.json)
            skills pack src --oci layout
            (cd layout && find . -type f | LC_ALL=C sort | xargs sha256sum)
            for file in layout/index.json layout/blobs/sha256/*; do if head -c 1 $file | grep -q '{{'; then cat $file; echo; fi; done
            skills push src {at} --format json
            skills push src {at}
            skills install {at} --dir pulled --format json
            cat pulled/.skills-index.json"
        ),
    );
    // A collection names the registry, so its digest depends on the port.
    let collection = transcript.split("/team:").nth(1).unwrap().split('"').next().unwrap();
    let digest =
        transcript.split("\"digest\": \"sha256:").find(|rest| rest.starts_with(collection));
    let transcript = transcript
        .replace(&digest.unwrap()[..64], "[COLLECTION]")
        .replace(collection, "[COLLECTION]");
    golden("archives", &transcript);
}

#[test]
fn addresses_as_they_are_written() {
    let sandbox = Sandbox::new();
    skills(&sandbox, "src");
    for run in [
        vec!["pack", "src/rich", "-o", "site/rich.skill"],
        vec!["pack", "src/simple", "src/fields", "--index", "site/.well-known/agent-skills"],
    ] {
        assert_eq!(sandbox.run(run).code, 0);
    }
    let server = Server::of_directory(&sandbox.path("site"));
    let sum =
        crate::registry_server::digest(&std::fs::read(sandbox.path("site/rich.skill")).unwrap());
    let sum = sum.trim_start_matches("sha256:");
    let (archive, site) = (server.url("/rich.skill"), server.url(""));
    sandbox.write(
        "skills.yaml",
        format!(
            "version: 1\nskills:\n  - {site}\n  - '{archive}#sha256={sum}'\n  - source: {archive}\n    \
             name: plain\n"
        ),
    );
    sandbox.write("good.yaml", format!("version: 1\nskills:\n  - {site}/\n  - {archive}\n"));
    let transcript = session(
        &sandbox,
        &format!(
            "skills lock
            skills lock --manifest good.yaml
            cat *.lock
            skills install {site} --dir a -q
            skills install {site}/ --dir b -q
            skills install {archive} --dir c -q
            skills install '{archive}#sha256={sum}' --dir d -q
            skills install {archive}#sha256={} --dir e
            cat a/.skills-index.json b/.skills-index.json c/.skills-index.json d/.skills-index.json
            skills update --dir c
            skills show {archive}
            skills list https://h.example:443 --offline
            skills list https://h.example/x.zip --offline",
            "0".repeat(64)
        ),
    );
    golden("addresses", &transcript);
}

#[test]
fn mounts_of_every_agent() {
    let sandbox = Sandbox::repository();
    skills(&sandbox, "src");
    let agents = ["claude", "codex", "opencode", "copilot", "gemini", "pi", "all"];
    let mount = |agent: &&str| {
        format!(
            "skills mount src --agent {agent} --home ../{agent} --format json\nskills unmount ../{agent}\n"
        )
    };
    golden("mounts", &session(&sandbox, &agents.iter().map(mount).collect::<String>()));
}

#[test]
fn documents_about_skills() {
    let sandbox = Sandbox::repository();
    skills(&sandbox, "src");
    sandbox
        .skill("odd/odd", &text("odd", "metadata:\n  a: 1.10\n  a: 2\nlist: [x, 1, null, true]\n"));
    sandbox.home_skill(".claude/skills/mine");
    sandbox.skill("twins/a/twin", &good_text("twin"));
    sandbox.skill("twins/b/twin", &(good_text("twin") + "More.\n"));
    let transcript = session(
        &sandbox,
        "skills validate src odd --format json
        skills validate src odd --format sarif
        skills validate odd --format github
        skills validate odd --format gitlab
        skills validate odd --format junit
        skills list --format json
        skills list src --tools --format json
        skills list twins
        skills list src --long --format json
        skills show src/rich --format json
        skills show odd/odd
        skills show odd/odd --format json
        skills render src --format json
        skills render src --format markdown
        skills render src --sections
        skills read skill://rich/references/guide.md src
        skills install twins --dir out --format json
        skills install missing --dir out --format json
        skills rules --format json | head -c 400",
    );
    golden("documents", &transcript);
}
