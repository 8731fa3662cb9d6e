//! Runs the recipes of docs/ci.md as they are written: the steps of `action.yml`, the pre-commit
//! hooks and GitLab's script, with the environment of their machines.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use serde_yaml::Value as Yaml;

use crate::harness::{Run, Sandbox, lacks};

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn text(path: &str) -> String {
    fs::read_to_string(repository(path)).unwrap()
}

fn yaml(text: &str) -> Yaml {
    serde_yaml::from_str(text).unwrap()
}

/// The script of a step of the action.
fn step(name: &str) -> String {
    let action = yaml(&text("action.yml"));
    let steps = action["runs"]["steps"].as_sequence().unwrap();
    let step = steps.iter().find(|step| step["name"].as_str() == Some(name));
    step.unwrap_or_else(|| panic!("no step `{name}`"))["run"].as_str().unwrap().to_owned()
}

/// A runner: a clone with `skills` on its `PATH`.
fn runner() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.copy_from_repository("fixtures");
    sandbox.symlink(env!("CARGO_BIN_EXE_skills"), "../bin/skills");
    sandbox
}

/// Runs a step of the action; none if a tool is missing.
#[track_caller]
fn run_step(sandbox: &Sandbox, name: &str, variables: &[(&str, &str)]) -> Option<Run> {
    if lacks(&["bash", "curl", "tar", "sed", "grep", "mkdir"]) {
        return None;
    }
    sandbox.write("../step.sh", step(name));
    let temp = sandbox.mkdir("../runner");
    let mut all = BTreeMap::from([
        ("RUNNER_OS", "Linux"),
        ("RUNNER_ARCH", "X64"),
        ("RUNNER_TEMP", temp.to_str().unwrap()),
        ("GITHUB_ACTION_PATH", env!("CARGO_MANIFEST_DIR")),
        ("SOURCES", ""),
        ("ARGUMENTS", ""),
    ]);
    all.extend(variables.iter().copied());
    let exports = all.iter().map(|(name, value)| format!("export {name}='{value}'\n"));
    let exports = exports.collect::<String>();
    let line = format!("{exports}export GITHUB_PATH=$RUNNER_TEMP/path PATH=$HOME/../bin:$PATH\n");
    Some(sandbox.shell(&(line + "bash ../step.sh")))
}

/// A release of this version, as `.ci/package` and the workflow make it.
fn release(sandbox: &Sandbox) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("skills-{version}-x86_64-unknown-linux-musl");
    let directory = format!("../releases/download/v{version}");
    sandbox.write(format!("{directory}/{name}/skills"), "#!/bin/sh\necho installed\n");
    sandbox.chmod(format!("{directory}/{name}/skills"), 0o755);
    let run = sandbox.shell(&format!(
        "cd {directory} && tar -czf {name}.tar.gz {name} && rm -r {name} && sha256sum * >SHA256SUMS"
    ));
    assert_eq!(run.code, 0, "{}", run.all());
    format!("{directory}/{name}.tar.gz")
}

#[test]
fn the_action_installs_a_release_and_refuses_one_that_was_changed() {
    let sandbox = Sandbox::new();
    if lacks(&["tar", "sha256sum"]) {
        return;
    }
    let archive = release(&sandbox);
    let url = format!("file://{}/releases", sandbox.root_text());
    let Some(run) = run_step(&sandbox, "Install skills", &[("RELEASES", &url)]) else { return };
    assert_eq!(run.code, 0, "{}", run.all());
    let path = sandbox.read("../runner/path");
    let run = sandbox.shell(&format!("{}/skills", path.trim()));
    assert_eq!(run.stdout, "installed\n", "{}", run.all());

    let mut bytes = fs::read(sandbox.path(&archive)).unwrap();
    bytes.push(0);
    sandbox.write(&archive, bytes);
    let run = run_step(&sandbox, "Install skills", &[("RELEASES", &url)]).unwrap();
    assert_ne!(run.code, 0, "{}", run.all());
}

#[test]
fn the_action_annotates_and_fails_when_validation_does() {
    let sandbox = runner();
    let good =
        [("SOURCES", "fixtures/examples/skills\n"), ("ARGUMENTS", "--strict\n--agent=claude\n")];
    let Some(run) = run_step(&sandbox, "Validate", &good) else { return };
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.all());
    let bad = [("SOURCES", "fixtures/examples/skills\nfixtures/invalid/name-format/capitals")];
    let run = run_step(&sandbox, "Validate", &bad).unwrap();
    assert_eq!(run.code, 1, "{}", run.all());
    let place = "::error file=fixtures/invalid/name-format/capitals/SKILL.md,line=2,";
    assert!(run.stdout.starts_with(place), "{}", run.stdout);
    let hostile = [("SOURCES", "$(touch made); touch made")];
    assert_eq!(run_step(&sandbox, "Validate", &hostile).unwrap().code, 2);
    assert!(!sandbox.path("made").exists(), "inputs are words, not commands");
}

#[test]
fn the_action_writes_sarif_only_if_something_was_checked() {
    let sandbox = runner();
    let step = "Write findings for code scanning";
    let bad = [("SOURCES", "fixtures/invalid/name-format/capitals")];
    let Some(run) = run_step(&sandbox, step, &bad) else { return };
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.all());
    let report: Value = serde_json::from_str(&sandbox.read("../runner/skills.sarif")).unwrap();
    assert_eq!(report["runs"][0]["results"][0]["ruleId"], "name-format");
    let run = run_step(&sandbox, step, &[("SOURCES", "missing")]).unwrap();
    assert_ne!(run.code, 0, "{}", run.all());
}

#[test]
fn the_hooks_run_as_documented() {
    let hooks = yaml(&text(".pre-commit-hooks.yaml"));
    let sandbox = runner();
    sandbox.skill("skills/pdf", "---\nname: pdf\ndescription: Use when: x\n---\n\nText.\n");
    let entry = |id: &str| {
        let hooks = hooks.as_sequence().unwrap();
        let hook = hooks.iter().find(|hook| hook["id"].as_str() == Some(id)).unwrap();
        let line = format!("PATH=$HOME/../bin:$PATH; {} ./skills", hook["entry"].as_str().unwrap());
        sandbox.shell(&line)
    };
    assert_eq!(entry("skills-validate").code, 1);
    assert_eq!(entry("skills-fix").code, 0);
    assert_eq!(entry("skills-validate").code, 0);
}

/// The YAML blocks of docs/ci.md.
fn blocks() -> Vec<Yaml> {
    let page = text("docs/ci.md");
    page.split("```yaml\n").skip(1).map(|rest| yaml(rest.split("```").next().unwrap())).collect()
}

#[test]
fn the_script_for_gitlab_leaves_a_report_that_can_be_read() {
    let jobs = blocks().into_iter().find(|block| !block["skills"].is_null()).unwrap();
    let job = &jobs["skills"];
    let script = job["script"].as_sequence().unwrap().iter().map(|line| line.as_str().unwrap());
    let commands: Vec<&str> = script.filter(|line| line.starts_with("skills ")).collect();
    let sandbox = runner();
    sandbox.skill("skills/pdf", "---\nname: PDF\n---\n\nText.\n");
    let run = sandbox.shell(&format!("PATH=$HOME/../bin:$PATH; {}", commands.join(" && ")));
    assert_eq!(run.code, 1, "{}", run.all());
    let report = sandbox.read(job["artifacts"]["reports"]["codequality"].as_str().unwrap());
    let report: Vec<Value> = serde_json::from_str(&report).unwrap();
    assert!(report.iter().any(|issue| issue["location"]["path"] == "skills/pdf/SKILL.md"));
}

#[test]
fn recipes_name_inputs_and_hooks_that_exist() {
    let action = yaml(&text("action.yml"));
    let used = blocks().into_iter().find(|block| !block["jobs"].is_null()).unwrap();
    let with = &used["jobs"]["validate"]["steps"][1]["with"];
    for input in with.as_mapping().unwrap().keys() {
        assert!(!action["inputs"][input].is_null(), "the action has no input {input:?}");
    }
    let page = text("docs/ci.md");
    for input in action["inputs"].as_mapping().unwrap().keys() {
        let row = format!("\n| `{}` |", input.as_str().unwrap());
        assert!(page.contains(&row), "docs/ci.md does not describe {input:?}");
    }
    let hooks = text(".pre-commit-hooks.yaml");
    let used = blocks().into_iter().find(|block| !block["repos"].is_null()).unwrap();
    for hook in used["repos"][0]["hooks"].as_sequence().unwrap() {
        let id = hook["id"].as_str().unwrap();
        assert!(hooks.contains(&format!("- id: {id}\n")), "there is no hook {id}");
    }
}
