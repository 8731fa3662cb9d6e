//! `skills mount`: the content of a home, and the environment of its agent.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use serde_json::Value;

use crate::harness::{Run, Sandbox, lacks};
use crate::install::{sandbox, snapshot};

/// All entries of the temporary directory.
pub(crate) fn temporary(sandbox: &Sandbox) -> Vec<String> {
    let entries = fs::read_dir(sandbox.path("../tmp")).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

/// The homes in the temporary directory, without the records beside them.
pub(crate) fn homes(sandbox: &Sandbox) -> Vec<String> {
    let mut names = temporary(sandbox);
    names.retain(|name| !name.ends_with(".skills-mount"));
    names
}

/// Mounts the skills of `src`, and runs a line of shell in that home.
pub(crate) fn mounted(sandbox: &Sandbox, flags: &[&str], line: &str) -> Run {
    let named: &[&str] = if flags.contains(&"--agent") { &[] } else { &["--agent", "claude"] };
    sandbox.run([&["mount", "src"], named, flags, &["--", "sh", "-c", line]].concat())
}

#[test]
fn a_command_that_stands_where_a_source_should_is_recognised() {
    let sandbox = sandbox();
    for command in ["sh", "claude"] {
        let run = sandbox.run(["mount", "src", command]);
        assert_eq!(run.code, 2, "{}", run.all());
        let help = format!("a command goes after `--`: `skills mount … -- {command}`");
        assert!(run.stderr.contains(&help), "{}", run.stderr);
    }
    assert!(!sandbox.run(["mount", "scr"]).stderr.contains("`--`"));
}

#[test]
fn a_command_runs_in_a_private_home_with_the_skills_and_nothing_is_left() {
    let sandbox = sandbox();
    sandbox.home_skill(".claude/skills/users-own");
    let line = "stat -c %a \"$HOME\"; cd \"$HOME\"; find . | LC_ALL=C sort; exit 7";
    let run = mounted(&sandbox, &[], line);
    assert_eq!(run.code, 7, "{}", run.all());
    insta::assert_snapshot!("home", run.stdout);
    assert_eq!(run.stderr, "");
    assert!(temporary(&sandbox).is_empty());
    assert!(sandbox.path("../home/.claude/skills/users-own").exists());
}

#[test]
fn exit_codes_are_those_of_the_command_or_cannot_be_taken_for_them() {
    let sandbox = sandbox();
    sandbox.write("not-executable", "#!/bin/sh\n");
    for (args, code) in [
        (&["mount", "src", "--agent", "claude", "--", "true"][..], 0),
        (&["mount", "src", "--agent", "claude", "--", "sh", "-c", "exit 3"], 3),
        (&["mount", "src", "--agent", "claude", "--", "sh", "-c", "kill -TERM $$"], 143),
        (&["mount", "src", "--agent", "claude", "--", "sh", "-c", "kill -KILL $$"], 137),
        (&["mount", "src", "--", "no-such-command"], 127),
        (&["mount", "src", "--", "./not-executable"], 126),
        (&["mount", "nowhere", "--", "true"], 125),
        (&["mount", "src", "--agent", "cladue", "--", "true"], 125),
        (&["mount", "src", "--no-such-flag", "--", "true"], 125),
        (&["mount", "src", "--events", "no/such/file", "--", "true"], 125),
        (&["mount", "src", "--with", ".nothing", "--", "true"], 125),
        (&["mount", "nowhere"], 2),
    ] {
        let run = sandbox.run(args.iter());
        assert_eq!(run.code, code, "{args:?}: {}", run.all());
        assert!(temporary(&sandbox).is_empty(), "{args:?}");
        assert_eq!(run.stderr.is_empty(), code < 125 && code != 2 || code > 127, "{}", run.stderr);
    }
    sandbox.skill("src/bad", "---\nname: bad\n---\n");
    let run = mounted(&sandbox, &["--strict"], "touch ran");
    assert_eq!(run.code, 125, "{}", run.all());
    assert!(run.stderr.contains("missing-description"), "{}", run.stderr);
    assert_eq!(run.stdout, "", "that is the command's");
    assert!(!sandbox.path("ran").exists() && temporary(&sandbox).is_empty());
    assert_eq!(sandbox.run(["mount", "src", "--strict"]).code, 1);
    assert_eq!(mounted(&sandbox, &[], "true").code, 0);
}

#[test]
fn skills_go_where_each_agent_looks() {
    for (agent, directories) in [
        ("claude", &[".claude/skills"][..]),
        ("codex", &[".agents/skills"]),
        ("opencode", &[".claude/skills"]),
        ("copilot", &[".agents/skills"]),
        ("gemini", &[".agents/skills"]),
        ("pi", &[".agents/skills"]),
        ("all", &[".agents/skills", ".claude/skills"]),
    ] {
        let sandbox = sandbox();
        let line = "cd \"$HOME\"; ls -d .*/skills/pdf";
        let run = mounted(&sandbox, &["--agent", agent], line);
        let expected: String = directories.iter().map(|path| format!("{path}/pdf\n")).collect();
        assert_eq!(run.stdout, expected, "{agent}: {}", run.stderr);
        // The agent would load exactly the mounted skills.
        if agent != "all" {
            let line = format!(
                "\"$SKILLS\" mount src --agent {agent} -- \"$SKILLS\" list --agent {agent} --format names"
            );
            let run = sandbox.shell(&line);
            let mut names: Vec<&str> = run.stdout.lines().collect();
            names.sort_unstable();
            assert_eq!(names, ["csv", "pdf"], "{agent}: {}", run.all());
        }
    }
    // The command's name decides the agent.
    let sandbox = sandbox();
    sandbox.program("codex", "#!/bin/sh\nls \"$HOME/.agents/skills\"; echo \"$CODEX_HOME\" | grep -c \"$HOME/.codex\"; ls -d \"$CODEX_HOME\" >/dev/null\n");
    let run = sandbox.run(["mount", "src", "--", "./codex"]);
    assert_eq!(run.stdout, "csv\npdf\n1\n", "{}", run.stderr);
}

#[test]
fn the_agent_behind_a_launcher_gets_its_home_and_its_login() {
    let sandbox = sandbox();
    let program =
        "#!/bin/sh\ncat \"$CODEX_HOME/auth.json\"; ls \"$HOME/.agents/skills\"; echo \"$@\"\n";
    sandbox.program("bin/codex", program);
    sandbox.program("bin/npx", "#!/bin/sh\nshift 2; exec codex \"$@\"\n");
    sandbox.write("../home/.codex/auth.json", "login\n");
    let path = std::env::join_paths(
        [sandbox.path("bin")]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var("PATH").unwrap())),
    );
    let path = path.unwrap();
    for command in [
        &["timeout", "-k", "9", "50", "codex", "exec"][..],
        &["env", "X=1", "nice", "-n", "1", "nohup", "codex", "exec"],
        &["sh", "-c", "cd . && exec codex exec"],
        &["bash", "-ec", "X=1 codex \"$@\"", "bash", "exec"],
        &["npx", "-y", "@openai/codex@0.169.0", "exec"],
        &["timeout", "50", "env", "X=1", "npx", "-y", "@openai/codex", "exec"],
    ] {
        let run = sandbox.run_with([&["mount", "src", "--"], command].concat(), |command| {
            command.env("PATH", &path);
        });
        let expected = (0, "login\ncsv\npdf\nexec\n", "");
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), expected, "{command:?}");
    }
}

#[test]
fn no_login_is_linked_for_a_command_that_may_run_any_agent() {
    let sandbox = sandbox();
    sandbox.program(
        "wrapper",
        "#!/bin/sh\ncd; find . -type l; echo \"$AWS_CONFIG_FILE\"; find . -name pdf\n",
    );
    for file in [".claude/.credentials.json", ".codex/auth.json", ".aws/config"] {
        sandbox.write(format!("../home/{file}"), "x");
    }
    let warning = |program: &str| {
        format!(
            "warning: `{program}` does not say which agent it runs, so the home is prepared for \
             claude and has no login; name the agent with `--agent`\n"
        )
    };
    for auth in ["link", "copy"] {
        let run = sandbox.run(["mount", "src", "--auth", auth, "--", "./wrapper", "codex"]);
        assert_eq!(run.stdout, "\n./.claude/skills/pdf\n", "{}", run.stderr);
        assert_eq!(run.stderr, warning("./wrapper"));
    }
    let run = sandbox.run(["mount", "src", "--", "sh", "-c", "echo claude"]);
    assert_eq!((run.stdout.as_str(), run.stderr), ("claude\n", warning("sh")));
    assert_eq!(sandbox.run(["mount", "src", "-q", "--", "true"]).stderr, "");
}

#[test]
fn no_login_is_linked_for_a_package_that_is_called_like_an_agent() {
    let sandbox = sandbox();
    sandbox.write("../home/.codex/auth.json", "login\n");
    sandbox.program("bin/npx", "#!/bin/sh\nfind \"$HOME\" -name auth.json\n");
    let path = format!("{}:/usr/bin:/bin", sandbox.path("bin").display());
    for command in [&["codex"][..], &["-p", "other", "codex"], &["@openai/codex@npm:other"]] {
        let run = sandbox.run_with([&["mount", "src", "--", "npx"], command].concat(), |program| {
            program.env("PATH", &path);
        });
        assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{command:?}: {}", run.all());
        assert!(run.stderr.contains("does not say which agent it runs"), "{}", run.stderr);
    }
}

#[test]
fn a_command_that_runs_two_agents_or_none_is_refused_before_anything_is_created() {
    let sandbox = sandbox();
    for (command, message) in [
        (
            &["sh", "-c", "codex exec x; claude -p y"][..],
            "error: the command runs Codex and Claude\nhelp: name the agent that the home is for: \
             `--agent codex`, or `--agent codex,claude`\n",
        ),
        (
            &["nice", "timeout", "5"],
            "error: `timeout` has no command to run\nhelp: put the command of the agent after it\n",
        ),
    ] {
        let run = sandbox.run([&["mount", "src", "--"], command].concat());
        assert_eq!((run.code, run.stderr.as_str()), (125, message), "{command:?}");
        assert!(temporary(&sandbox).is_empty());
    }
    let line = "ls ~/.agents/skills ~/.claude/skills; exit 3; codex; claude";
    assert_eq!(mounted(&sandbox, &["--agent", "codex,claude"], line).code, 3);
}

#[test]
fn the_environment_is_the_callers_without_paths_to_the_callers_files() {
    let sandbox = sandbox();
    let outside = |name: &str| sandbox.path("../home").join(name);
    for (agent, more) in [
        ("claude", &["DISABLE_AUTOUPDATER=1"][..]),
        ("codex", &["CODEX_HOME=[HOME]/.codex"]),
        ("copilot", &[]),
        (
            "opencode",
            &[
                "XDG_CACHE_HOME=[HOME]/.cache",
                "XDG_CONFIG_HOME=[HOME]/.config",
                "XDG_DATA_HOME=[HOME]/.local/share",
                "XDG_STATE_HOME=[HOME]/.local/state",
            ],
        ),
    ] {
        let args = ["mount", "src", "--agent", agent, "--", "env"];
        let run = sandbox.run_with(args, |command| {
            for name in [
                "CLAUDE_CONFIG_DIR",
                "CODEX_HOME",
                "COPILOT_HOME",
                "GEMINI_CLI_HOME",
                "PI_CODING_AGENT_DIR",
                "OPENCODE_CONFIG_DIR",
                "XDG_CONFIG_HOME",
                "XDG_RUNTIME_DIR",
            ] {
                command.env(name, outside(name));
            }
            command.env("OPENCODE_DISABLE_EXTERNAL_SKILLS", "1");
            command.env("ANTHROPIC_API_KEY", "key").env("EMPTY", "").env("TERM", "dumb");
        });
        assert_eq!(run.code, 0, "{}", run.all());
        let home =
            run.stdout.lines().find_map(|line| line.strip_prefix("HOME=")).unwrap().to_owned();
        let mut lines: Vec<String> =
            run.stdout.lines().map(|line| line.replace(&home, "[HOME]")).collect();
        lines.retain(|line| !line.starts_with("PATH="));
        lines.sort();
        let mut expected: Vec<&str> =
            vec!["ANTHROPIC_API_KEY=key", "EMPTY=", "HOME=[HOME]", "TERM=dumb", "TMPDIR=[DIR]/tmp"];
        expected.extend(more);
        expected.sort_unstable();
        assert_eq!(lines, expected, "{agent}");
    }
}

#[test]
fn shells_and_scripts_get_the_variables() {
    let sandbox = sandbox();
    let run = sandbox.shell(
        "export CODEX_HOME=/x XDG_DATA_HOME=/y
        eval \"$(\"$SKILLS\" mount src --agent codex --format env)\"
        ls \"$HOME/.agents/skills\"; echo \"${CODEX_HOME#\"$HOME\"} ${XDG_DATA_HOME-gone}\"
        \"$SKILLS\" unmount \"$HOME\"",
    );
    assert_eq!(run.stdout, "csv\npdf\n/.codex gone\n", "{}", run.stderr);
    for (shell, line) in [("fish", "set -gx HOME '"), ("powershell", "$env:HOME = '")] {
        let run = sandbox.run(["mount", "src", "--format", "env", "--shell", shell]);
        assert!(run.stdout.contains(line), "{}", run.stdout);
    }
    let report = sandbox.document(["mount", "src", "--format", "json"]);
    assert_eq!(report["version"], 1);
    let home = report["home"].as_str().unwrap();
    assert_eq!(report["env"]["HOME"], home);
    assert_eq!(report["env"]["DISABLE_AUTOUPDATER"], "1");
    assert_eq!(report["skills_dirs"][0], format!("{home}/.claude/skills"));
    assert!(report["unset"].as_array().unwrap().contains(&Value::from("CLAUDE_CONFIG_DIR")));
    assert_eq!(report["skills"][1]["action"], "created");
}

#[test]
#[cfg(target_os = "linux")]
fn a_home_whose_path_is_not_utf8_reaches_shells_unchanged() {
    let sandbox = sandbox();
    let name = OsStr::from_bytes(b"it's \\\xff");
    fs::create_dir(sandbox.path("../tmp").join(name)).unwrap();
    let line = "for one in \"$TMPDIR\"/it*; do export TMPDIR=\"$one\"; done
        eval \"$(\"$SKILLS\" mount src --format env)\"
        ls \"$HOME/.claude/skills\"";
    assert_eq!(sandbox.shell(line).stdout, "csv\npdf\n");
    if !lacks(&["fish"]) {
        let line = "set -gx TMPDIR $TMPDIR/it*
            $SKILLS mount src --format env --shell fish | source
            ls $HOME/.claude/skills";
        let run = sandbox.run_with_shell("fish", line);
        assert_eq!(run.stdout, "csv\npdf\n", "{}", run.stderr);
    }
}

#[test]
fn logins_are_linked_and_renewed_ones_are_moved_back() {
    let sandbox = sandbox();
    let login = "../home/.claude/.credentials.json";
    sandbox.write(login, "old token");
    sandbox.chmod(login, 0o600);
    let run = mounted(&sandbox, &[], "readlink \"$HOME/.claude/.credentials.json\"");
    assert_eq!(run.stdout, "[DIR]/home/.claude/.credentials.json\n", "{}", run.stderr);
    // Agents write a new file and move it into place.
    let line = "cd \"$HOME/.claude\"; echo 'new token' > t; mv t .credentials.json; exit 4";
    let run = mounted(&sandbox, &[], line);
    assert_eq!(run.code, 4, "{}", run.all());
    assert_eq!(sandbox.read(login), "new token\n");
    assert_eq!(sandbox.mode(login), 0o600);
    assert_eq!(snapshot(&sandbox.path("../home/.claude")).len(), 1, "nothing else was left there");

    let line =
        "cd \"$HOME/.claude\"; stat -c '%a %F' .credentials.json; echo other > .credentials.json";
    let run = mounted(&sandbox, &["--auth", "copy"], line);
    assert_eq!(run.stdout, "600 regular file\n");
    assert_eq!(sandbox.read(login), "new token\n", "a copy stays a copy");
    let run = mounted(&sandbox, &["--auth", "none"], "ls -A \"$HOME/.claude\"");
    assert_eq!(run.stdout, "skills\n");

    // An unusable login is reported, and the run goes on.
    fs::remove_file(sandbox.path(login)).unwrap();
    sandbox.mkdir(login);
    let run = mounted(&sandbox, &[], "exit 6");
    assert_eq!(run.code, 6);
    assert!(run.stderr.starts_with("warning: the login in "), "{}", run.stderr);
}

#[test]
fn every_agent_keeps_its_login_and_no_more() {
    let sandbox = sandbox();
    for file in [
        ".claude.json",
        ".codex/auth.json",
        ".codex/config.toml",
        ".local/share/opencode/auth.json",
        ".local/share/opencode/opencode.db",
        ".gemini/oauth_creds.json",
        ".gemini/google_accounts.json",
        ".gemini/settings.json",
        ".pi/agent/auth.json",
        ".copilot/config.json",
        ".aws/config",
    ] {
        sandbox.write(format!("../home/{file}"), "x");
    }
    let line = "cd \"$HOME\"; find . -type l | LC_ALL=C sort; echo \"$AWS_CONFIG_FILE\"";
    let run = mounted(&sandbox, &["--agent", "all"], line);
    insta::assert_snapshot!("logins", run.stdout);
    let run = mounted(&sandbox, &["--agent", "all", "--auth", "none"], line);
    assert_eq!(run.stdout, "\n", "{}", run.stderr);
    // A variable that moves an agent moves its login.
    sandbox.write("moved/auth.json", "y");
    let moved = sandbox.path("moved");
    let args =
        ["mount", "src", "--agent", "codex", "--", "sh", "-c", "cat \"$CODEX_HOME/auth.json\""];
    let run = sandbox.run_with(args, |command| {
        command.env("CODEX_HOME", moved);
    });
    assert_eq!(run.stdout, "y", "{}", run.stderr);
}

#[test]
fn skills_of_the_real_home_are_never_seen_by_accident() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("src/pdf");
    sandbox.home_skill(".claude/skills/users-own");
    sandbox.home_skill(".agents/skills/users-own");
    sandbox.mkdir("../home/work/deep");
    let src = sandbox.path("src");
    let src = src.to_str().unwrap();
    let from = |flags: &[&str]| {
        let head = ["-C", "../home/work/deep", "mount", src];
        sandbox.run([&head[..], flags, &["--", "true"]].concat())
    };
    // Claude looks upwards even outside a repository; Codex does not.
    let run = from(&[]);
    assert_eq!(run.code, 125, "{}", run.all());
    insta::assert_snapshot!("host_skills", run.stderr);
    assert_eq!(from(&["--agent", "codex"]).code, 0);
    assert_eq!(from(&["--agent", "pi"]).code, 125);
    assert_eq!(from(&["--allow-host-skills"]).code, 0);
    assert!(temporary(&sandbox).is_empty());
    sandbox.mkdir("../home/work/.git");
    assert_eq!(from(&[]).code, 0, "the repository ends the way up");
    // The project in the current directory stays visible.
    sandbox.good_skill("../home/work/.claude/skills/projects");
    assert_eq!(from(&[]).code, 0);
}

#[test]
fn more_paths_of_the_real_home_can_be_linked_but_not_its_skills() {
    let sandbox = sandbox();
    sandbox.write("../home/.gitconfig", "[user]\n");
    sandbox.write("../home/.config/tool/settings", "x");
    sandbox.home_skill(".claude/skills/users-own");
    let line = "cd \"$HOME\"; cat .gitconfig; cat .config/tool/settings";
    let run = mounted(&sandbox, &["--with", ".gitconfig", "--with", "~/.config/tool"], line);
    assert_eq!(run.stdout, "[user]\nx", "{}", run.stderr);
    for path in
        [".claude/skills", ".claude", ".", "..", "../x", "/etc/passwd", ".claude/skills/users-own"]
    {
        let run = mounted(&sandbox, &["--with", path], "true");
        assert_eq!(run.code, 125, "{path}: {}", run.all());
        assert!(temporary(&sandbox).is_empty());
    }
    assert!(sandbox.path("../home/.gitconfig").exists(), "only the link went");
}

#[test]
fn a_home_stays_for_the_sake_of_a_login_that_cannot_be_moved_back() {
    let sandbox = sandbox();
    let login = "../home/.claude/.credentials.json";
    sandbox.write(login, "old");
    // Even root cannot write to a removed directory.
    let line = "cd \"$HOME/.claude\"; echo new > t; mv t .credentials.json; mv \"$REAL\" \"$REAL.away\"; exit 3";
    let real = sandbox.path("../home/.claude");
    let run = sandbox.run_with(
        ["mount", "src", "--agent", "claude", "--", "sh", "-c", line],
        |command| {
            command.env("REAL", real);
        },
    );
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("was not moved back"), "{}", run.stderr);
    let home = homes(&sandbox).remove(0);
    assert!(run.stderr.contains(&format!("skills unmount [DIR]/tmp/{home}")), "{}", run.stderr);
    // Once it can be removed, it is.
    sandbox.shell("mv ../home/.claude.away ../home/.claude");
    assert_eq!(sandbox.run(["unmount", &format!("../tmp/{home}")]).code, 0);
    assert_eq!(sandbox.read(login), "new\n");
    assert!(temporary(&sandbox).is_empty());
}

#[test]
fn links_of_the_user_do_not_hide_whose_skills_they_are() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("src/pdf");
    sandbox.good_skill("dotfiles/linked");
    sandbox.symlink(sandbox.path("dotfiles/linked"), "../home/.claude/skills/linked");
    sandbox.mkdir("../home/work");
    let src = sandbox.path("src");
    let run = sandbox.run(["-C", "../home/work", "mount", src.to_str().unwrap(), "--", "true"]);
    assert_eq!(run.code, 125, "{}", run.all());
    // The same for a link inside a linked directory.
    let sandbox = self::sandbox();
    sandbox.home_skill(".agents/skills/own");
    sandbox.symlink("../.agents/skills", "../home/.gemini/skills");
    let run = mounted(&sandbox, &["--agent", "gemini", "--with", ".gemini"], "true");
    assert_eq!(run.code, 125, "{}", run.all());
    assert!(run.stderr.contains("would expose your own skills"), "{}", run.stderr);
    assert!(temporary(&sandbox).is_empty());
}

#[test]
fn an_isolated_agent_gets_next_to_nothing_and_a_sandbox() {
    let sandbox = sandbox();
    sandbox.write(
        "skills.yaml",
        "version: 1\nskills: [./src]\nisolation:\n  allowed_domains: [example.com]\n  env: { EXTRA: \"1\" }\n  api_key_env: MY_KEY\n",
    );
    let show = [
        "mount",
        "--manifest",
        "skills.yaml",
        "--agent",
        "claude",
        "--",
        "sh",
        "-c",
        "env | grep -v '^PWD=\\|^_=' | sort; cat \"$HOME/.claude/settings.json\"",
    ];
    let run = sandbox.run_with(show, |command| {
        command.env("MY_KEY", "secret").env("TERM", "x").env("AWS_PROFILE", "p");
    });
    assert_eq!(run.code, 0, "{}", run.all());
    let lines: Vec<&str> = run.stdout.lines().collect();
    let names: Vec<&str> = lines
        .iter()
        .take_while(|line| !line.starts_with('{'))
        .map(|line| line.split('=').next().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "ANTHROPIC_API_KEY",
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_USE_BEDROCK",
            "DISABLE_AUTOUPDATER",
            "EXTRA",
            "HOME",
            "PATH"
        ]
    );
    let json = &run.stdout[run.stdout.find('{').unwrap()..];
    let settings: Value = serde_json::from_str(json).unwrap();
    assert_eq!(settings["sandbox"]["enabled"], true);
    assert_eq!(settings["sandbox"]["network"]["allowedDomains"][0], "example.com");
    assert!(!json.contains("secret"), "{json}");
    let run = sandbox.run(["mount", "--manifest", "skills.yaml", "--", "claude"]);
    assert_eq!(run.code, 125);
    assert!(run.stderr.contains("names `MY_KEY`, which is not set"), "{}", run.stderr);
    assert!(temporary(&sandbox).is_empty());
}

#[test]
fn sections_and_events_of_a_mount_are_available() {
    let sandbox = crate::render::sandbox();
    let run = sandbox.run(["mount", "--prompt", "prompt.txt", "--events", "log", "--", "true"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let rendered = sandbox.run(["render", "--prompt-only"]).stdout;
    assert_eq!(sandbox.read("prompt.txt"), rendered);
    let event: Value = serde_json::from_str(&sandbox.read("log")).unwrap();
    assert_eq!(event["type"], "skills_installed");
    assert_eq!(event["prompt_key"], "mount");
    assert_eq!(event["inline_skills"][0], "naming");
}
