//! Homes as the manifest and the flags describe them: empty ones, logins, sandboxes, other names,
//! and agents whose directories alone are known.

#![cfg(unix)]

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Run, Sandbox, good_text, text};
use crate::mount::temporary;

/// A repository with one skill.
fn project() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("src/pdf");
    sandbox
}

fn mount(sandbox: &Sandbox, args: &[&str], variables: &[(&str, &str)]) -> Run {
    sandbox.run_with([&["mount"], args].concat(), |command| {
        command.envs(variables.iter().copied());
    })
}

#[test]
fn a_manifest_without_skills_runs_the_command_with_a_warning() {
    for entries in
        ["[]", "[{source: ./src, enabled: false}]", "[{source: ./nowhere, enabled: {env: NO}}]"]
    {
        let sandbox = project();
        sandbox.write("skills.yaml", format!("version: 1\nskills: {entries}\n"));
        let run = mount(
            &sandbox,
            &["--agent", "claude", "--", "sh", "-c", "echo ran; ls -A \"$HOME\""],
            &[],
        );
        assert_eq!((run.code, run.stdout.as_str()), (0, "ran\n"), "{entries}: {}", run.all());
        assert_eq!(
            run.stderr,
            "warning: the manifest has no skill that is enabled and expanded, so the home has none\n"
        );
        assert_eq!(
            sandbox.run(["install", "--dir", "out"]).code,
            0,
            "nothing to install is no failure"
        );
        assert!(temporary(&sandbox).is_empty());
    }
    // An empty source is an error.
    let sandbox = project();
    sandbox.mkdir("none");
    sandbox.write("skills.yaml", "version: 1\nskills: [./none]\n");
    for args in [&["--", "true"][..], &["none", "--", "true"]] {
        assert_eq!(mount(&sandbox, args, &[]).code, 125, "{args:?}");
    }
}

#[test]
fn an_empty_home_is_made_only_when_asked() {
    let sandbox = project();
    let run = mount(&sandbox, &["--", "true"], &[]);
    assert_eq!(run.code, 125, "{}", run.all());
    assert!(run.stderr.contains("or `--empty` for a home without skills"), "{}", run.stderr);
    let run = mount(
        &sandbox,
        &["--empty", "--agent", "claude", "--", "sh", "-c", "ls -A \"$HOME\"; exit 4"],
        &[],
    );
    assert_eq!((run.code, run.all().as_str()), (4, ""));
    // A manifest that happens to be here is not read.
    sandbox.write("skills.yaml", "not: valid\n");
    assert_eq!(mount(&sandbox, &["--empty", "--", "true"], &[]).code, 0);
    for args in [&["src", "--empty"][..], &["--manifest", "skills.yaml", "--empty"]] {
        assert_eq!(mount(&sandbox, args, &[]).code, 2, "{args:?}");
    }
    assert!(temporary(&sandbox).is_empty());
}

/// Isolated, with a program that is called like the agent.
fn isolated() -> Sandbox {
    let sandbox = project();
    sandbox.write("skills.yaml", "version: 1\nskills: [./src]\nisolation: {}\n");
    sandbox.program("bin/claude", "#!/bin/sh\necho started\n");
    sandbox
}

#[test]
fn an_isolated_claude_without_a_login_is_not_started() {
    let sandbox = isolated();
    let path = format!("{}:/usr/bin:/bin", sandbox.path("bin").display());
    let run = |more: &[(&str, &str)], flags: &[&str]| {
        let variables = [&[("PATH", path.as_str())], more].concat();
        mount(&sandbox, &[flags, &["--", "claude", "-p", "hi"]].concat(), &variables)
    };
    let refused = |run: Run, message: &str| {
        assert_eq!((run.code, run.stdout.as_str()), (125, ""), "{}", run.all());
        assert!(run.stderr.contains(message), "{}", run.stderr);
        assert!(temporary(&sandbox).is_empty());
        run
    };
    let started = |run: Run| {
        assert_eq!((run.code, run.all().as_str()), (0, "started\n"));
    };
    let none = refused(run(&[], &[]), "an isolated Claude has no login here");
    for way in ["`ANTHROPIC_API_KEY`", "`isolation.api_key_env`", "`CLAUDE_CODE_USE_BEDROCK=1`"] {
        assert!(none.stderr.contains(way), "{}", none.stderr);
    }
    refused(run(&[("ANTHROPIC_API_KEY", "")], &[]), "has no login here");
    started(run(&[("ANTHROPIC_API_KEY", "k")], &[]));
    started(run(&[("CLAUDE_CODE_OAUTH_TOKEN", "k")], &[]));
    // Bedrock needs its switch, a region and credentials.
    let bedrock = ("CLAUDE_CODE_USE_BEDROCK", "1");
    refused(run(&[bedrock], &[]), "`AWS_REGION` is not set");
    refused(run(&[bedrock, ("AWS_REGION", "eu")], &[]), "there are no AWS credentials");
    refused(run(&[("CLAUDE_CODE_USE_BEDROCK", "0"), ("AWS_REGION", "eu")], &[]), "no login here");
    started(run(&[bedrock, ("AWS_REGION", "eu"), ("AWS_ACCESS_KEY_ID", "a")], &[]));
    started(run(&[bedrock, ("AWS_DEFAULT_REGION", "eu"), ("AWS_PROFILE", "work")], &[]));
    let region = ("AWS_REGION", "eu");
    for credentials in [
        ("AWS_BEARER_TOKEN_BEDROCK", "b"),
        ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/x"),
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://169.254.170.23/v1"),
    ] {
        started(run(&[bedrock, region, credentials], &[]));
    }
    // Files that do not exist hold no credentials.
    for file in ["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE"] {
        refused(run(&[bedrock, region, (file, "/nowhere")], &[]), "there are no AWS credentials");
    }
    // The machine itself may have a role.
    started(run(&[bedrock, ("AWS_REGION", "eu")], &["--auth", "none"]));
    sandbox.write("../home/.aws/config", "");
    started(run(&[bedrock, ("AWS_REGION", "eu")], &[]));
    sandbox.write("../home/.claude/.credentials.json", "{}");
    started(run(&[], &[]));
    refused(run(&[], &["--auth", "none"]), "has no login here");
    let report = sandbox.run(["mount", "--agent", "claude", "--auth", "none", "--format", "json"]);
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    assert_eq!(report["error"]["kind"], "auth", "{report:#}");
}

#[test]
fn a_command_that_may_run_any_agent_is_not_started_in_isolation() {
    let sandbox = isolated();
    let run = mount(&sandbox, &["--", "sh", "-c", "echo ran"], &[]);
    assert_eq!((run.code, run.stdout.as_str()), (125, ""), "{}", run.all());
    assert_eq!(
        run.stderr,
        "error: `isolation` needs to know the agent, and `sh` does not say which it runs\nhelp: \
         name it, for example with `--agent claude`\n"
    );
    // Without a command, the home may be for something else.
    let run = mount(&sandbox, &[], &[]);
    assert!(run.stderr.starts_with("warning: an isolated Claude has no login"), "{}", run.stderr);
    assert_eq!(mount(&sandbox, &["--agent", "claude", "src", "--", "true"], &[]).stderr, "");
    // Other agents may use a model that needs no login. Whoever names one vouches for the command.
    let run = mount(&sandbox, &["--agent", "codex", "--", "true"], &[]);
    let warning = "warning: nobody has checked whether the command undoes `isolation`: what `true` \
                   starts is not known\n";
    assert_eq!((run.code, run.stderr.as_str()), (0, warning));
}

#[test]
fn a_sandbox_is_written_in_the_keys_of_claude() {
    let sandbox = project();
    sandbox.write(
        "skills.yaml",
        "version: 1\nskills: [./src]\nisolation:\n  allowed_domains: [example.com]\n  sandbox:\n    \
         readable_paths: [data, /opt/shared]\n    writable_paths: [out, ~/reports]\n    \
         excluded_commands: [\"git *\"]\n    auto_allow_bash: false\n    \
         allow_unsandboxed_commands: true\n    weaker_nested_sandbox: true\n    \
         ignore_violations: {\"*\": [/usr/lib]}\n    unix_sockets: [/run/x.sock]\n    \
         local_binding: true\n    http_proxy_port: 8080\n    socks_proxy_port: 1080\n",
    );
    let settings = |flags: &[&str]| -> Value {
        let line = "cat \"$HOME/.claude/settings.json\"";
        let flags = [flags, &["--agent", "claude", "--", "sh", "-c", line]].concat();
        let run = mount(&sandbox, &flags, &[("ANTHROPIC_API_KEY", "k")]);
        assert_eq!(run.code, 0, "{}", run.all());
        serde_json::from_str::<Value>(&run.stdout).unwrap()["sandbox"].clone()
    };
    let user =
        fs::metadata(sandbox.path(".")).map(|data| std::os::unix::fs::MetadataExt::uid(&data));
    let own = format!("/tmp/claude-{}", user.unwrap());
    assert_eq!(
        settings(&["--trust-manifest"]),
        json!({
            "enabled": true,
            "failIfUnavailable": true,
            "autoAllowBashIfSandboxed": false,
            "allowUnsandboxedCommands": true,
            "enableWeakerNestedSandbox": true,
            "excludedCommands": ["git *"],
            "ignoreViolations": {"*": ["/usr/lib"]},
            "filesystem": {
                "allowRead": ["[DIR]/project/data", "/opt/shared"],
                "allowWrite": ["[DIR]/project/out", "[DIR]/home/reports", own],
            },
            "network": {
                "allowedDomains": ["example.com"],
                "allowUnixSockets": ["/run/x.sock"],
                "allowLocalBinding": true,
                "httpProxyPort": 8080,
                "socksProxyPort": 1080,
            },
        })
    );
    sandbox.write("skills.yaml", "skills: [./src]\nisolation: {sandbox: true}\n");
    assert_eq!(
        settings(&[]),
        json!({
            "enabled": true,
            "failIfUnavailable": true,
            "autoAllowBashIfSandboxed": true,
            "allowUnsandboxedCommands": false,
            "filesystem": {"allowWrite": [own]},
            "network": {"allowedDomains": []},
        })
    );
}

/// Mounts a manifest with this block for these agents, and runs a line of shell.
fn isolate(sandbox: &Sandbox, block: &str, flags: &[&str], line: &str) -> Run {
    sandbox.write("skills.yaml", format!("skills: [./src]\nisolation: {{{block}}}\n"));
    let flags = [&["--trust-manifest"], flags, &["--", "sh", "-c", line]].concat();
    mount(sandbox, &flags, &[("ANTHROPIC_API_KEY", "k"), ("MY_KEY", "k")])
}

#[test]
fn what_a_block_asks_for_is_honoured_or_refused() {
    let sandbox = project();
    for (agent, block, key, title) in [
        ("opencode", "", "sandbox", "OpenCode"),
        ("copilot", "sandbox: true", "sandbox", "Copilot"),
        ("pi", "include_host_env: true", "sandbox", "Pi"),
        ("cursor", "", "sandbox", "cursor"),
        ("all", "", "sandbox", "OpenCode"),
        ("codex,pi", "", "sandbox", "Pi"),
        ("gemini", "allowed_domains: [a.example]", "allowed_domains", "Gemini"),
        ("gemini", "sandbox: {writable_paths: [out]}", "writable_paths", "Gemini"),
        ("codex", "sandbox: {excluded_commands: [git]}", "excluded_commands", "Codex"),
        ("codex", "sandbox: {unix_sockets: true}", "unix_sockets", "Codex"),
        ("codex", "sandbox: {auto_allow_bash: false}", "auto_allow_bash", "Codex"),
        ("codex", "sandbox: {http_proxy_port: 8080}", "http_proxy_port", "Codex"),
    ] {
        let run = isolate(&sandbox, block, &["--agent", agent], "echo ran");
        assert_eq!((run.code, run.stdout.as_str()), (125, ""), "{agent} {block}: {}", run.all());
        let ignored = format!("--ignore-isolation {key}");
        for words in [key, title, "`--agent claude`", &ignored, "container"] {
            assert!(run.stderr.contains(words), "{agent} {block}: {}", run.stderr);
        }
        assert!(temporary(&sandbox).is_empty());
        let flags = ["--agent", agent, "--ignore-isolation", key];
        let run = isolate(&sandbox, block, &flags, "echo ran");
        assert_eq!((run.code, run.stdout.as_str()), (0, "ran\n"), "{agent} {block}: {}", run.all());
    }
    // What needs no sandbox is for every agent.
    for agent in ["claude", "codex", "opencode", "copilot", "gemini", "pi"] {
        let block = "sandbox: false, env: {EXTRA: x}, include_host_env: true, api_key_env: MY_KEY";
        let run = isolate(&sandbox, block, &["--agent", agent], "echo $EXTRA");
        assert_eq!((run.code, run.stdout.as_str()), (0, "x\n"), "{agent}: {}", run.all());
        let block = "sandbox: false, allowed_domains: [a.example]";
        let run = isolate(&sandbox, block, &["--agent", agent], "true");
        assert_eq!(run.code, 125, "{}", run.all());
        assert!(run.stderr.contains("`isolation.allowed_domains` needs a sandbox"));
    }
    let run = isolate(&sandbox, "", &["--agent", "codex", "--ignore-isolation", "sandbx"], "true");
    assert_eq!(run.code, 125, "{}", run.all());
    assert!(run.stderr.contains("did you mean `sandbox`?"), "{}", run.stderr);
}

#[test]
fn a_sandbox_is_written_in_the_keys_of_other_agents() {
    let sandbox = project();
    let block =
        "allowed_domains: [a.example], sandbox: {writable_paths: [out], readable_paths: [/x]}";
    let line = "cat \"$CODEX_HOME/config.toml\"; test -d \"$TMPDIR\" && echo ${TMPDIR#\"$HOME\"}";
    let run = isolate(&sandbox, block, &["--agent", "codex"], line);
    assert_eq!(
        run.stdout,
        "approval_policy = \"never\"\nfeatures.network_proxy.domains.\"a.example\" = \"allow\"\n\
         features.network_proxy.enabled = true\nsandbox_mode = \"workspace-write\"\n\
         sandbox_workspace_write.exclude_slash_tmp = true\n\
         sandbox_workspace_write.network_access = true\n\
         sandbox_workspace_write.writable_roots = [\"[DIR]/project/out\"]\n/.tmp\n",
        "{}",
        run.stderr
    );
    let line = "cat \"$HOME/.gemini/settings.json\"";
    let run = isolate(&sandbox, "", &["--agent", "gemini"], line);
    assert_eq!(
        serde_json::from_str::<Value>(&run.stdout).unwrap(),
        json!({
            "security": {"toolSandboxing": true},
            "tools": {"sandboxNetworkAccess": false, "allowed": ["run_shell_command"]},
        })
    );
    let line = "ls \"$CODEX_HOME\" \"$HOME/.gemini\" 2>&1 | grep -c 'config.toml\\|settings.json'";
    let run = isolate(&sandbox, "sandbox: false", &["--agent", "codex,gemini"], line);
    assert_eq!(run.stdout, "0\n", "{}", run.stderr);
}

#[test]
fn neither_the_command_nor_the_project_undoes_a_sandbox_silently() {
    let sandbox = isolated();
    sandbox.program("bin/codex", "#!/bin/sh\necho started\n");
    let path = format!("{}:/usr/bin:/bin", sandbox.path("bin").display());
    let run = |arguments: &[&str]| {
        let variables = [("PATH", path.as_str()), ("ANTHROPIC_API_KEY", "k")];
        mount(&sandbox, arguments, &variables)
    };
    for arguments in [
        &["--", "codex", "exec", "--yolo", "hi"][..],
        &["--", "codex", "-s", "danger-full-access"],
        &["--", "claude", "--dangerously-skip-permissions"],
        &["--", "claude", "-p", "hi", "--settings", "{\"sandbox\": {\"enabled\": false}}"],
    ] {
        let refused = run(arguments);
        assert_eq!((refused.code, refused.stdout.as_str()), (125, ""), "{}", refused.all());
        assert!(refused.stderr.contains("would open the sandbox"), "{}", refused.stderr);
        let ignored = run(&[&["--ignore-isolation", "sandbox"], arguments].concat());
        assert_eq!(ignored.stdout, "started\n", "{}", ignored.all());
    }
    let other = run(&["--agent", "codex", "--", "claude"]);
    assert_eq!(other.code, 125, "{}", other.all());
    assert!(other.stderr.contains("the command runs Claude"), "{}", other.stderr);
    sandbox.write(".claude/settings.json", "{\"model\": \"x\"}");
    assert_eq!(run(&["--", "claude"]).stdout, "started\n");
    sandbox.write(".claude/settings.local.json", "{\"sandbox\": {\"enabled\": false}}");
    let project = run(&["--", "claude"]);
    assert_eq!((project.code, project.stdout.as_str()), (125, ""), "{}", project.all());
    assert!(project.stderr.contains("`.claude/settings.local.json`"), "{}", project.stderr);
    assert_eq!(run(&["--", "codex"]).stdout, "started\n");
    assert!(temporary(&sandbox).is_empty());
}

#[test]
fn no_launcher_undoes_a_block_silently() {
    let sandbox = isolated();
    sandbox.program("bin/codex", "#!/bin/sh\necho started\n");
    let path = format!("{}:/usr/bin:/bin", sandbox.path("bin").display());
    let run = |arguments: &[&str]| {
        let variables = [("PATH", path.as_str()), ("ANTHROPIC_API_KEY", "k")];
        mount(&sandbox, arguments, &variables)
    };
    let refused = |arguments: &[&str], words: &str| {
        let run = run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (125, ""), "{arguments:?}: {}", run.all());
        assert!(run.stderr.contains(words), "{arguments:?}: {}", run.stderr);
        assert!(temporary(&sandbox).is_empty());
    };
    for (flags, command, name) in [
        (&[][..], &["env", "HOME=/real", "claude"][..], "`HOME`"),
        (&["--agent", "codex"], &["env", "CODEX_HOME=/real", "codex"], "`CODEX_HOME`"),
        (&[], &["env", "-u", "HOME", "codex"], "`HOME`"),
        (&[], &["timeout", "5", "env", "-i", "codex"], "`HOME`"),
        (&[], &["env", "XDG_CONFIG_HOME=x", "codex"], "`XDG_CONFIG_HOME`"),
        (&[], &["env", "TMPDIR=/x", "codex"], "`TMPDIR`"),
        // Moving the home undoes the other keys of a block, too.
        (&["--ignore-isolation", "sandbox"], &["env", "HOME=/real", "claude"], "`HOME`"),
    ] {
        refused(&[flags, &["--"], command].concat(), name);
    }
    assert_eq!(run(&["--", "env", "-u", "X", "DEBUG=1", "codex"]).all(), "started\n");
    for command in [
        &["env", "-S", "codex exec", "--yolo"][..],
        &["env", "-C", "sub", "claude"],
        &["env", "--ignore-env", "codex"],
        &["xargs", "codex"],
        &["sh", "-c", "codex $1", "sh", "--yolo"],
        &["sh", "-c", "X=--yolo; codex $X"],
        &["sh", "-c", "f() { codex \"$@\"; }; f --yolo"],
        &["sh", "-c", "set -- --yolo; codex \"$@\""],
        &["sh", "-c", "HOME=/tmp codex"],
        &["sh", "-c", "cd sub && claude"],
        &["bash", "-c", "codex --yo{lo,x}"],
        &["bash", "-c", "codex $'--yolo'"],
    ] {
        refused(&[&["--"], command].concat(), "`isolation` cannot be checked: ");
        // Whoever names the agent vouches for the command, and is told so.
        let vouched = run(&[&["--agent", "claude,codex", "--"], command].concat());
        let warning = "warning: nobody has checked whether the command undoes `isolation`: ";
        assert!(vouched.stderr.contains(warning), "{command:?}: {}", vouched.stderr);
    }
    assert_eq!(run(&["--", "sh", "-c", "exec codex exec 'a; $b' 2>&1"]).all(), "started\n");
    refused(&["--agent", "codex", "--", "sh", "-c", "cd . && codex --yolo"], "would open");
    refused(&["--", "npx", "codex"], "does not say which it runs");
    for settings in [
        "{\"permissions\": {\"defaultMode\": \"bypassPermissions\"}}",
        "{\"permissions\": {\"allow\": [\"WebFetch\"]}}",
        "{\"s\\u0061ndbox\": {}}",
        "{",
    ] {
        sandbox.write(".claude/settings.json", settings);
        refused(&["--", "claude"], "`.claude/settings.json`");
    }
    sandbox.write(".claude/settings.json", "{\"permissions\": {\"deny\": [\"Edit(.env)\"]}}");
    assert_eq!(run(&["--", "claude"]).all(), "started\n");
    for name in ["HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "XDG_DATA_HOME"] {
        let text = format!("skills: [./src]\nisolation: {{env: {{{name}: /x}}}}\n");
        sandbox.write("skills.yaml", text);
        let words = format!("`isolation.env` sets `{name}`, which `mount` sets itself");
        refused(&["--trust-manifest", "--", "codex"], &words);
    }
}

#[test]
fn a_block_that_cannot_be_read_runs_nothing() {
    let sandbox = project();
    for (block, words) in [
        ("isolation: [sandbox]", "`isolation` must be a mapping"),
        ("isolation: {allowed_domains: example.com}", "`allowed_domains` must be a list"),
        ("isolation: {env: [A]}", "`env` must be a mapping"),
        ("isolation: {env: {A: {b: c}}}", "a value of `env` must be"),
        ("isolation: {include_host_env: 1}", "`include_host_env` must be a boolean"),
        ("isolation: {api_key_env: [K]}", "`api_key_env` must be a string"),
        ("isolation: {sanbox: true}", "did you mean `sandbox`?"),
        ("isolation: {sandbox: {writable_path: [a]}}", "did you mean `writable_paths`?"),
    ] {
        sandbox.write("skills.yaml", format!("skills: [./src]\n{block}\n"));
        let run = mount(&sandbox, &["--agent", "claude", "--", "echo", "ran"], &[]);
        assert_eq!((run.code, run.stdout.as_str()), (125, ""), "{block}: {}", run.all());
        assert!(run.stderr.contains(words), "{block}: {}", run.stderr);
        assert!(temporary(&sandbox).is_empty());
    }
}

#[test]
fn a_stranger_cannot_open_the_sandbox() {
    for (key, needs_trust) in [
        ("writable_paths: [~/.config]", true),
        ("writable_paths: [/]", true),
        ("writable_paths: [out]", false),
        ("readable_paths: [~/.ssh]", false),
        ("excluded_commands: [curl]", true),
        ("unix_sockets: [/var/run/docker.sock]", true),
        ("http_proxy_port: 8080", true),
        ("local_binding: true", false),
    ] {
        let sandbox = project();
        let text = format!("skills: [./src]\nisolation: {{sandbox: {{{key}}}}}\n");
        sandbox.write("skills.yaml", text);
        let run = |flags: &[&str]| {
            mount(
                &sandbox,
                &[flags, &["--agent", "claude", "--", "true"]].concat(),
                &[("ANTHROPIC_API_KEY", "k")],
            )
        };
        let found = run(&[]);
        assert_eq!(found.code, 125, "{key}: {}", found.all());
        assert!(found.stderr.contains("skills.yaml:2:23: `isolation.sandbox."), "{}", found.stderr);
        assert_eq!(
            run(&["--manifest", "skills.yaml"]).code,
            if needs_trust { 125 } else { 0 },
            "{key}"
        );
        assert_eq!(run(&["--trust-manifest"]).code, 0, "{key}");
    }
}

#[test]
fn one_skill_gets_another_name() {
    let sandbox = project();
    sandbox.write("Notes.md", good_text("notes"));
    let name = |path: &str| sandbox.read(path).lines().nth(1).unwrap().to_owned();
    assert_eq!(sandbox.run(["install", "src/pdf", "--name", "forms", "--dir", "out"]).code, 0);
    assert_eq!(name("out/forms/SKILL.md"), "name: forms");
    assert_eq!(sandbox.run(["install", "Notes.md", "--name", "notes", "--dir", "out"]).code, 0);
    assert_eq!(name("out/notes/SKILL.md"), "name: notes");
    let line = "ls \"$HOME/.claude/skills\"";
    let run = mount(&sandbox, &["src/pdf", "--name", "forms", "--", "sh", "-c", line], &[]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "forms\n"), "{}", run.all());
    sandbox.write("skills.yaml", "skills: [./src]\n");
    for (args, message) in [
        (&["src/pdf", "Notes.md", "--name", "x"][..], "`--name x` needs exactly one source"),
        (&["src", "--name", "x"], "`src` is not a skill, so it cannot be called `x`"),
        (&["--name", "x"], "`--name x` needs a source, not a manifest"),
        (&["src/pdf", "--name", "../x"], "`--name ../x` is not a valid skill name"),
        (&["src/pdf", "--name", "Big"], "`--name Big` is not a valid skill name"),
    ] {
        let run = sandbox.run([&["install", "--dir", "other"], args].concat());
        assert_eq!(run.code, 2, "{args:?}: {}", run.all());
        assert!(run.stderr.contains(message), "{args:?}: {}", run.stderr);
        assert!(!sandbox.path("other").exists());
    }
}

#[test]
fn unmounting_twice_is_fine() {
    let sandbox = project();
    let run = sandbox.shell(
        "home=$(\"$SKILLS\" mount src) || exit
        \"$SKILLS\" unmount \"$home\" || exit
        \"$SKILLS\" unmount \"$home\"",
    );
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stderr.starts_with("note: no home is at `"), "{}", run.stderr);
    // A directory that is not a home is still refused.
    sandbox.mkdir("mine");
    assert_eq!(sandbox.run(["unmount", "mine"]).code, 1);
}

#[test]
fn errors_name_absolute_paths_and_the_skill() {
    let sandbox = project();
    sandbox.write("skills.yaml", "version: 3\n");
    sandbox.write("Bad_Stem.md", good_text("bad"));
    sandbox.skill("broken", "no front matter\n");
    sandbox.write(
        "inline.yaml",
        "skills:\n  - inline: {name: hi, title: Hi, description: Use., template: $x}\n",
    );
    let error = |args: &str| {
        let report = sandbox.document(args.split(' ').chain(["--format", "json"]));
        report["error"].clone()
    };
    for (args, path, skill, kind) in [
        ("list", "project/skills.yaml", Value::Null, Value::Null),
        ("validate ./nowhere", "project/nowhere", Value::Null, Value::Null),
        ("install Bad_Stem.md", "project/Bad_Stem.md", json!("Bad_Stem"), json!("file")),
        ("install broken --agent codex", "project/broken", json!("broken"), json!("directory")),
    ] {
        let error = error(args);
        assert_eq!(error["path"], format!("[DIR]/{path}"), "{args}: {error:#}");
        assert_eq!((&error["skill"], &error["skill_kind"]), (&skill, &kind), "{args}: {error:#}");
    }
    let missing = error("install src --only nothing");
    assert_eq!((&missing["skill"], &missing["kind"]), (&json!("nothing"), &json!("not_found")));
}

#[test]
fn validate_says_of_a_file_what_install_would_say() {
    let sandbox = Sandbox::repository();
    sandbox.write("Bad_Stem.md", good_text("fine"));
    let run = sandbox.run(["validate", "Bad_Stem.md"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stdout.contains("error[name-format]"), "{}", run.stdout);
    let same = "`Bad_Stem` is not a valid skill name: a name consists of a-z, 0-9 and hyphens";
    assert!(run.stdout.contains(same), "{}", run.stdout);
    assert!(run.stdout.contains("rename the file to `bad-stem.md`"), "{}", run.stdout);
    let install = sandbox.run(["install", "Bad_Stem.md", "--dir", "out"]);
    assert!(install.stderr.contains(same), "{}", install.stderr);
    // With a given name, its stem does not matter.
    sandbox.write("skills.yaml", "skills: [{source: Bad_Stem.md, name: fine}]\n");
    assert_eq!(sandbox.run(["validate"]).code, 0);
    sandbox.write("good-stem.md", good_text("other"));
    assert_eq!(sandbox.run(["validate", "good-stem.md"]).code, 0);
}

#[test]
fn the_manifest_says_what_refuses_an_installation() {
    let sandbox = Sandbox::repository();
    // Codex drops it; others load it.
    sandbox.skill("src/odd", &text("odd", "metadata: wrong\n"));
    sandbox.good_skill("src/pdf");
    let code = |validate: &str, verb: &[&str]| {
        sandbox.write("skills.yaml", format!("{validate}skills: [./src]\n"));
        let run = sandbox.run(verb);
        (run.code, run.stdout.contains("odd"))
    };
    let install = |more: &[&'static str]| [&["install", "--dry-run", "--agent"], more].concat();
    for (validate, verb, expected) in [
        ("", install(&["claude"]), (0, true)),
        ("validate: usable\n", install(&["claude"]), (0, true)),
        ("validate: usable\n", install(&["codex"]), (0, false)),
        ("validate: strict\n", install(&["claude"]), (1, false)),
        ("validate: strict\n", install(&["claude", "--no-validate"]), (0, true)),
        ("validate: off\n", install(&["codex"]), (0, true)),
        ("validate: off\n", install(&["codex", "--strict"]), (1, false)),
    ] {
        assert_eq!(code(validate, &verb), expected, "{validate} {verb:?}");
    }
    let mount = ["mount", "--agent", "codex", "--", "sh", "-c", "ls ~/.agents/skills"];
    assert_eq!(code("validate: usable\n", &mount), (0, false));
    assert_eq!(code("validate: off\n", &mount), (0, true));
    assert_eq!(code("validate: strict\n", &mount), (125, false));
    sandbox.write("skills.yaml", "validate: loose\nskills: []\n");
    let run = sandbox.run(["install"]);
    assert_eq!(run.code, 2, "{}", run.all());
    assert!(run.stderr.contains("skills.yaml:1:11: `validate` is `strict`, `usable` or `off`"));
}
