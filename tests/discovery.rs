//! Discovery: which skills are found on a machine, in which order, and which messages appear.

use crate::harness::Sandbox;
use crate::list::rows;

#[test]
fn discovery_orders_project_before_user_and_then_by_priority() {
    let sandbox = Sandbox::repository();
    sandbox.home_skill(".omp/agent/skills/a");
    sandbox.home_skill(".claude/skills/b");
    sandbox.home_skill(".codex/skills/c");
    sandbox.home_skill(".agents/skills/d");
    sandbox.home_skill(".config/opencode/skills/e");
    sandbox.home_skill(".qwen/skills/f");
    sandbox.home_skill(".omp/agent/managed-skills/g");
    sandbox.good_skill(".github/skills/h");
    sandbox.good_skill(".claude/skills/i");
    sandbox.good_skill(".omp/skills/j");
    assert_eq!(
        rows(&sandbox, &[]),
        [
            "j active omp/project",
            "i active claude/project",
            "h active github/project",
            "a active omp/user",
            "b active claude/user",
            "d active agents/user",
            "c active codex/user",
            "e active opencode/user",
            "f active qwen-code/user",
            "g active omp-managed/user",
        ]
    );
}

#[test]
fn ancestors_are_searched_to_the_top_of_the_repository_nearest_first() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".agents/skills/both");
    sandbox.good_skill(".agents/skills/top");
    sandbox.good_skill("packages/app/.agents/skills/both");
    sandbox.good_skill("packages/app/.agent/skills/single");
    sandbox.good_skill("../.agents/skills/outside");
    assert_eq!(
        rows(&sandbox, &["-C", "packages/app"]),
        [
            "both active agents/project",
            "single active agents/project",
            "both shadowed agents/project",
            "top active agents/project",
        ]
    );
}

#[test]
fn the_home_is_never_a_project() {
    let sandbox = Sandbox::new();
    sandbox.home_skill(".claude/skills/pdf");
    sandbox.mkdir("../home/work/app");
    assert_eq!(
        rows(&sandbox, &["-C", "../home/work/app", "--source", "claude"]),
        ["pdf active claude/user"]
    );
}

#[test]
fn sources_are_switched_before_names_collide() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".claude/skills/pdf");
    sandbox.home_skill(".claude/skills/pdf");
    sandbox.home_skill(".agents/skills/csv");
    assert_eq!(
        rows(&sandbox, &["--source", "claude:user,agents"]),
        ["pdf active claude/user", "csv active agents/user"]
    );
    assert_eq!(
        rows(&sandbox, &["--no-source", "claude:project", "--no-source", "agents"]),
        ["pdf active claude/user"]
    );
    let run = sandbox.run(["list", "--source", "cluade"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("did you mean `claude`?"), "{}", run.stderr);
    let run = sandbox.run(["list", "--source", "claude:team"]);
    assert!(run.stderr.contains("a scope is `user` or `project`"), "{}", run.stderr);
}

#[test]
fn custom_directories_come_last_and_one_level_deep() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".claude/skills/pdf");
    sandbox.good_skill("team/pdf");
    sandbox.good_skill("team/csv");
    sandbox.good_skill("team/group/nested");
    sandbox.skill("team/bare", "---\nname: bare\n---\n\nBody\n");
    let args = ["--skills-dir", "team"];
    assert_eq!(
        rows(&sandbox, &args),
        [
            "pdf active claude/project",
            "bare invalid custom/-",
            "csv active custom/-",
            "pdf shadowed custom/-"
        ]
    );
    let run = sandbox.run(["list", "--skills-dir", "team", "--source", "custom"]);
    assert!(
        run.stderr.contains("`team/group/nested` is not listed: custom looks only one level deep"),
        "{}",
        run.stderr
    );
    assert_eq!(rows(&sandbox, &["--skills-dir", "team", "--source", "custom"]).len(), 3);
    sandbox.home_skill("mine/home-skill");
    assert_eq!(
        rows(&sandbox, &["--skills-dir", "~/mine", "--source", "custom"]),
        ["home-skill active custom/-"]
    );
}

#[test]
fn the_manifest_steers_discovery() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".claude/skills/pdf");
    sandbox.good_skill(".claude/skills/pdf-old");
    sandbox.good_skill(".agents/skills/csv");
    sandbox.good_skill("team/xml");
    sandbox.write(
        "skills.yaml",
        "discovery:\n  sources: [claude, custom]\n  directories: [./team]\n  ignore: ['*-old']\n",
    );
    assert_eq!(rows(&sandbox, &[]), ["pdf active claude/project", "xml active custom/-"]);
    assert_eq!(rows(&sandbox, &["--source", "agents"]), ["csv active agents/project"]);
    sandbox.write("skills.yaml", "discovery: {ignore: [pdf], include: ['pdf*']}\n");
    assert_eq!(rows(&sandbox, &[]), ["pdf-old active claude/project"]);
    sandbox.write("skills.yaml", "discovery: {enabled: false}\n");
    assert!(rows(&sandbox, &[]).is_empty());
    sandbox.write("skills.yaml", "skills: [./team]\ndiscovery: {no_sources: [agents]}\n");
    assert_eq!(rows(&sandbox, &[]), ["xml active -/-"]);
    assert_eq!(
        rows(&sandbox, &["--discover"]),
        ["pdf active claude/project", "pdf-old active claude/project"]
    );
    sandbox.write("skills.yaml", "discovery: {sources: [claud]}\n");
    let run = sandbox.run(["list"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("skills.yaml:1:23: unknown source `claud`"), "{}", run.stderr);
    sandbox.write("skills.yaml", "discovery: {source: [claude]}\n");
    assert!(sandbox.run(["list"]).stderr.contains("did you mean `sources`?"));
}

#[test]
fn nothing_to_discover_is_an_answer_too() {
    let sandbox = Sandbox::repository();
    let run = sandbox.run(["list"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "no skills\n", ""));
    let run = sandbox.run(["list", "--only", "pdf"]);
    assert_eq!(run.code, 2);
    let run = sandbox.run(["list", "--allow", "[a"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("invalid glob `[a`"), "{}", run.stderr);
}

#[test]
fn without_a_home_only_the_project_is_searched() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".claude/skills/pdf");
    for home in ["", "relative"] {
        let run = sandbox.run_with(["list", "--format", "names"], |command| {
            command.env("HOME", home);
        });
        assert_eq!((run.code, run.stdout.as_str()), (0, "pdf\n"));
        assert!(run.stderr.contains("HOME is not set to an absolute path"), "{}", run.stderr);
    }
}

#[test]
fn variables_move_the_directories_of_the_user() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("moved/skills/pdf");
    sandbox.home_skill(".claude/skills/not-here");
    let run = sandbox.run_with(["list", "--source", "claude", "--format", "names"], |command| {
        command.env("CLAUDE_CONFIG_DIR", "moved");
    });
    assert_eq!(run.stdout, "pdf\n", "{}", run.stderr);
}

#[test]
fn plugins_of_claude_are_found_through_its_registry() {
    let sandbox = Sandbox::repository();
    let skill = sandbox.home_skill(".claude/plugins/cache/m/tools/1.0.0/skills/pdf");
    let install = skill.ancestors().nth(3).unwrap().to_str().unwrap().to_owned();
    sandbox.write(
        "../home/.claude/plugins/installed_plugins.json",
        serde_json::json!({"version": 2, "plugins": {
            "tools@m": [{"scope": "user", "installPath": install, "version": "1.0.0"}]
        }})
        .to_string(),
    );
    assert_eq!(rows(&sandbox, &[]), ["pdf active claude-plugins/user"]);
    let run = sandbox.run(["list"]);
    assert!(run.stdout.starts_with("tools:pdf  "), "{}", run.stdout);
    sandbox.home_skill(".claude/skills/csv");
    assert_eq!(rows(&sandbox, &["--plugin", "tools"]), ["pdf active claude-plugins/user"]);
    assert_eq!(rows(&sandbox, &["--only", "tools:pdf"]), ["pdf active claude-plugins/user"]);
    let run = sandbox.run(["list", "--plugin", "tool"]);
    assert_eq!(run.code, 2, "{}", run.all());
    assert!(run.stderr.contains("did you mean `tools`? available: tools"), "{}", run.stderr);
}

#[test]
fn a_bound_on_directories_keeps_the_upper_levels() {
    let sandbox = Sandbox::repository();
    for number in 0..2_100 {
        sandbox.mkdir(format!(".agents/skills/aa/d{number}"));
    }
    sandbox.good_skill(".agents/skills/zz");
    sandbox.good_skill(".agents/skills/aa/z-lost");
    let names = ["list", "--agent", "codex", "--format", "names"];
    assert_eq!(sandbox.run(names).stdout, "zz\n");
    let run = sandbox.run(["list", "--agent", "codex", "-v"]);
    assert!(run.stdout.contains("Codex enters at most 2000 directories"), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn skills_that_a_provider_skips_are_reported() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill(".claude/skills/l1/l2/l3/l4/deep");
    sandbox.good_skill(".claude/skills");
    sandbox.good_skill(".agents/skills/.hidden");
    sandbox.good_skill(".agents/skills/.group/inner");
    sandbox.good_skill(".agents/skills/node_modules/nm");
    sandbox.symlink("/nonexistent", ".claude/skills/dangling");
    sandbox.write("../home/.claude/plugins/installed_plugins.json", "{bad");
    let run = sandbox.run(["list", "-v"]);
    for part in [
        "l1/l2/l3/l4/deep` is not listed: claude looks only one level deep",
        "`.claude/skills` is not listed: claude ignores a SKILL.md in the skills directory itself",
        "`.agents/skills/.hidden` is not listed: agents skips directories that start with a dot",
        "`.agents/skills/.group/inner` is not listed: agents skips directories",
        "`.agents/skills/node_modules/nm` is not listed: agents skips `node_modules`",
        "`.claude/skills/dangling` is a dangling link",
        "installed_plugins.json` is not used: it is not a registry of plugins",
    ] {
        assert!(run.stderr.contains(part), "{part}:\n{}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn many_ways_to_one_directory_take_no_longer_than_one() {
    let sandbox = Sandbox::repository();
    for level in 0..30 {
        sandbox.symlink(format!("../d{}", level + 1), format!("dag/d{level}/a"));
        sandbox.symlink(format!("../d{}", level + 1), format!("dag/d{level}/b"));
    }
    sandbox.good_skill("dag/d30/deep");
    sandbox.symlink("../../dag/d0", ".opencode/skills/dag");
    assert_eq!(rows(&sandbox, &[]), ["deep active opencode/project"]);
    let run = sandbox.run(["list", "--agent", "opencode", "--format", "names"]);
    assert_eq!(run.stdout, "deep\n");
}

#[test]
fn directories_of_omp_and_named_ones_demand_a_description() {
    let sandbox = Sandbox::repository();
    let bare = |place: &str| {
        let name = place.rsplit('/').next().unwrap();
        sandbox.skill(place, &format!("---\nname: {name}\n---\n\nBody\n"));
    };
    for place in [".omp/skills/a", ".claude/skills/b", ".github/skills/c", "../team/e"] {
        bare(place);
    }
    bare("../home/.omp/agent/skills/f");
    bare("../home/.omp/agent/managed-skills/g");
    sandbox.skill(".omp/skills/d", "---\nname: d\ndescription: '  '\n---\n\nBody\n");
    // What no program could read is read line by line.
    sandbox.skill(".omp/skills/h", "---\nname: h\ndescription: Use: always\n---\n\nBody\n");
    let expected = [
        "a invalid omp/project",
        "d invalid omp/project",
        "h active omp/project",
        "b active claude/project",
        "c active github/project",
        "f invalid omp/user",
        "g invalid omp-managed/user",
        "e invalid custom/-",
    ];
    assert_eq!(rows(&sandbox, &["--skills-dir", "../team"]), expected);
    sandbox.write("skills.yaml", "discovery: { directories: [../team] }\n");
    assert_eq!(rows(&sandbox, &[]), expected);
    let run = sandbox.run(["list", "--source", "omp:user"]);
    let reason = "missing-description: skills in this directory need a `description`";
    assert!(run.stdout.contains(reason), "{}", run.all());
    for args in [&["read", "e", "--skills-dir", "../team"][..], &["read", "a"], &["show", "a"]] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 1, "{args:?} {}", run.all());
        assert!(run.stderr.contains(reason), "{args:?} {}", run.stderr);
    }
    assert!(!sandbox.run(["render", "--discover"]).stdout.contains("<name>a</name>"));
    // The directory of an agent does not demand it, however it is named.
    let run = sandbox.run(["show", "b", "--agent", "claude", "--scope", "project"]);
    assert_eq!(run.code, 0, "{}", run.all());
}
