//! What a mounted agent gets of the environment of its caller.

use crate::skills::mount::MountedAgents;
use crate::skills::mount::policy::*;

fn variables(pairs: &[(&str, &str)]) -> Variables {
    pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
}

fn child(agent: &str, caller: &[(&str, &str)], isolation: Option<&Isolation>) -> Variables {
    let agents = MountedAgents::choose(&[agent.to_owned()], &[]).unwrap();
    let host = HostSettings {
        env: [("AWS_REGION".to_owned(), "host".to_owned())].into(),
        aws_auth_refresh: None,
    };
    let request = PolicyRequest {
        agents: &agents.observed,
        others: &agents.others,
        real_home: Some(Path::new("/nowhere")),
        caller: &variables(caller),
        login: true,
        isolation,
        runs: true,
        host: &host,
    };
    decide(&request).unwrap().environment_in(Path::new("/m")).all
}

#[test]
fn a_manifest_cannot_set_what_is_no_variable_or_belongs_to_the_mount() {
    assert!(refuse_variable("GREETING_1", "a b=c").is_ok());
    for (name, value, why) in [
        ("", "x", "not a valid variable name"),
        ("A B", "x", "not a valid variable name"),
        ("A=B", "x", "not a valid variable name"),
        ("A", "x\0y", "not a valid variable name"),
        ("HOME", "/", "`HOME`, which `mount` sets itself"),
        ("CODEX_HOME", "/", "`CODEX_HOME`, which `mount` sets itself"),
        ("CLAUDE_CONFIG_DIR", "/", "sets itself"),
        ("XDG_RUNTIME_DIR", "/", "sets itself"),
        ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "/", "sets itself"),
    ] {
        let isolation =
            Isolation { env: [(name.into(), value.into())].into(), ..Isolation::default() };
        let request = PolicyRequest {
            agents: &[],
            others: &[],
            real_home: None,
            caller: &variables(&CALLER),
            login: false,
            isolation: Some(&isolation),
            runs: true,
            host: &HostSettings::default(),
        };
        let Err(error) = decide(&request) else { panic!("{name:?} is set") };
        assert!(error.message.contains(why), "{name:?}: {error}");
    }
}

const CALLER: [(&str, &str); 9] = [
    ("HOME", "/home/me"),
    ("PATH", "/bin"),
    ("TERM", "xterm"),
    ("CLAUDE_CONFIG_DIR", "/c"),
    ("CODEX_HOME", "/x"),
    ("XDG_DATA_HOME", "/d"),
    ("ANTHROPIC_API_KEY", "secret"),
    ("AWS_PROFILE", "work"),
    ("HOMEBREW_PREFIX", "/brew"),
];

#[test]
fn all_variables_pass_except_those_that_lead_to_files_of_the_user() {
    let kept = [
        ("PATH", "/bin"),
        ("TERM", "xterm"),
        ("ANTHROPIC_API_KEY", "secret"),
        ("AWS_PROFILE", "work"),
        ("HOMEBREW_PREFIX", "/brew"),
    ];
    let with = |more: &[(&str, &str)]| variables(&[&kept[..], &[("HOME", "/m")], more].concat());
    assert_eq!(child("claude", &CALLER, None), with(&[("DISABLE_AUTOUPDATER", "1")]));
    assert_eq!(child("codex", &CALLER, None), with(&[("CODEX_HOME", "/m/.codex")]));
    assert_eq!(child("copilot", &CALLER, None), with(&[]));
    assert_eq!(child("gemini", &CALLER, None), with(&[]));
    assert_eq!(child("pi", &CALLER, None), with(&[]));
    let opencode = [
        ("XDG_CONFIG_HOME", "/m/.config"),
        ("XDG_DATA_HOME", "/m/.local/share"),
        ("XDG_STATE_HOME", "/m/.local/state"),
        ("XDG_CACHE_HOME", "/m/.cache"),
    ];
    assert_eq!(child("opencode", &CALLER, None), with(&opencode));
    let all = [("CODEX_HOME", "/m/.codex"), ("DISABLE_AUTOUPDATER", "1")];
    assert_eq!(child("all", &CALLER, None), with(&[&opencode[..], &all].concat()));
}

#[test]
fn isolation_passes_next_to_nothing() {
    let isolation = Isolation::default();
    assert_eq!(
        child("claude", &CALLER, Some(&isolation)),
        variables(&[
            ("HOME", "/m"),
            ("PATH", "/bin"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("ANTHROPIC_API_KEY", "secret"),
            ("AWS_PROFILE", "work"),
            ("AWS_REGION", "host"),
        ])
    );
}

#[test]
fn the_rest_of_the_callers_environment_passes_without_secrets_and_places() {
    let with_host = Isolation { include_host_env: true, ..Isolation::default() };
    let secrets = [
        "CLAUDE_X",
        "ANTHROPIC_X",
        "AWS_X",
        "GOOGLE_X",
        "AZURE_X",
        "OPENAI_X",
        "OPENAI_API_KEY",
        "AWS_SECRET_ACCESS_KEY_2",
        "GITHUB_TOKEN",
        "NPM_TOKEN",
        "SSH_AUTH_SOCK",
        "KUBECONFIG",
        "DATABASE_URL",
        "SKILLS_REGISTRY_TOKEN",
    ];
    let mut caller = CALLER.to_vec();
    caller.extend(secrets.map(|name| (name, "secret")));
    caller.extend([("OPENCODE_CONFIG", "/x"), ("COPILOT_SKILLS_DIRS", "/x")]);
    // `HOME` is set again, to the new home.
    assert_eq!(
        child("claude", &caller, Some(&with_host)),
        variables(&[
            ("HOME", "/m"),
            ("PATH", "/bin"),
            ("TERM", "xterm"),
            ("HOMEBREW_PREFIX", "/brew"),
            ("DISABLE_AUTOUPDATER", "1"),
            // The agent's own credentials still pass.
            ("ANTHROPIC_API_KEY", "secret"),
            ("AWS_PROFILE", "work"),
            ("AWS_REGION", "host"),
        ])
    );
    // With `api_key_env`, not even those pass.
    let with_key = Isolation { api_key_env: Some("TERM".to_owned()), ..with_host };
    assert_eq!(
        child("codex", &caller, Some(&with_key)),
        variables(&[
            ("HOME", "/m"),
            ("PATH", "/bin"),
            ("TERM", "xterm"),
            ("HOMEBREW_PREFIX", "/brew"),
            ("CODEX_HOME", "/m/.codex"),
            ("OPENAI_API_KEY", "xterm"),
            // Its sandbox leaves `/tmp` closed.
            ("TMPDIR", "/m/.tmp"),
        ])
    );
}

#[test]
fn settings_pass_when_they_lead_to_no_skills_and_are_missed_otherwise() {
    let decide_for = |agent: &str, caller: &[(&str, &str)]| {
        let caller = &variables(caller);
        let agents = MountedAgents::choose(&[agent.to_owned()], &[]).unwrap();
        let request = PolicyRequest {
            agents: &agents.observed,
            others: &agents.others,
            real_home: None,
            caller,
            login: false,
            isolation: None,
            runs: true,
            host: &HostSettings::default(),
        };
        let policy = decide(&request).unwrap();
        (policy.environment_in(Path::new("/m")), policy.missed)
    };
    let harmless = [("OPENCODE_CONFIG_CONTENT", r#"{"model": "x/y"}"#)];
    let (child, missed) = decide_for("opencode", &harmless);
    assert!(child.all.contains_key(OsStr::new("OPENCODE_CONFIG_CONTENT")));
    assert!(missed.is_empty());
    let leading = [("OPENCODE_CONFIG", "/x"), ("OPENCODE_CONFIG_CONTENT", r#"{"skills": {}}"#)];
    let (child, missed) = decide_for("opencode", &leading);
    let both = leading.map(|(name, _)| OsString::from(name)).into();
    assert_eq!(missed, both);
    assert!(child.unset.is_superset(&both) && child.all.keys().all(|name| !both.contains(name)));
    // The variables are removed even for agents that do not read them.
    let (child, missed) = decide_for("claude", &leading);
    assert!(missed.is_empty() && child.unset.is_superset(&both));
}

#[test]
fn the_home_is_named_only_once_there_is_one() {
    let isolation = Isolation::default();
    let (agents, caller) =
        (MountedAgents::choose(&["opencode".to_owned()], &[]).unwrap(), variables(&CALLER));
    let request = PolicyRequest {
        agents: &agents.observed,
        others: &agents.others,
        real_home: None,
        caller: &caller,
        login: false,
        isolation: None,
        runs: true,
        host: &HostSettings::default(),
    };
    for isolation in [None, Some(&isolation)] {
        let policy = decide(&PolicyRequest { isolation, ..request }).unwrap();
        for home in ["/m", "/n"] {
            let all = policy.environment_in(Path::new(home)).all;
            let value = |name: &str| all.get(OsStr::new(name)).unwrap().to_str().unwrap();
            let data = format!("{home}/.local/share");
            assert_eq!(value("HOME"), home);
            assert_eq!(value("XDG_CACHE_HOME"), format!("{home}/.cache"));
            assert_eq!(value("XDG_DATA_HOME"), data);
        }
        for name in ["HOME", "XDG_CACHE_HOME"] {
            assert!(!policy.variables.contains_key(OsStr::new(name)), "{name}");
        }
    }
}

#[test]
fn a_key_of_its_own_leaves_amazon_out() {
    let isolation = Isolation {
        api_key_env: Some("MY_KEY".to_owned()),
        env: [("ANTHROPIC_API_KEY".to_owned(), "last".to_owned())].into(),
        ..Isolation::default()
    };
    let caller = [&CALLER[..], &[("MY_KEY", "mine")]].concat();
    assert_eq!(
        child("claude", &caller, Some(&isolation)),
        variables(&[
            ("HOME", "/m"),
            ("PATH", "/bin"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("ANTHROPIC_API_KEY", "last"),
            ("CLAUDE_CODE_USE_BEDROCK", "0"),
            ("CLAUDE_USE_BEDROCK", "0"),
        ])
    );
    let codex = child("codex", &caller, Some(&isolation));
    assert_eq!(codex.get(OsStr::new("OPENAI_API_KEY")), Some(&"mine".into()));
}

/// A caller with every key that an agent reads, and other secrets.
fn rich_caller(bedrock: &'static str) -> Variables {
    let keys = AGENTS.iter().flat_map(|agent| agent.mounting.keys).chain(&AWS_VARIABLES);
    let others = [
        "GITHUB_TOKEN",
        "NPM_TOKEN",
        "SKILLS_REGISTRY_TOKEN",
        "SSH_AUTH_SOCK",
        "KUBECONFIG",
        "MY_KEY",
    ];
    let names = keys.copied().chain(others);
    let mut caller: Variables =
        names.map(|name| (name.into(), format!("secret-{name}").into())).collect();
    caller.insert("PATH".into(), "/bin".into());
    caller.insert("AWS_CONFIG_FILE".into(), "secret-aws-files".into());
    caller.insert("CLAUDE_CODE_USE_BEDROCK".into(), bedrock.into());
    caller
}

#[test]
fn a_block_never_adds_a_secret() {
    let host_env = AWS_VARIABLES[AWS_ROUTE..]
        .iter()
        .map(|name| ((*name).to_owned(), format!("secret-host-{name}")))
        .collect();
    let host = HostSettings { env: host_env, aws_auth_refresh: None };
    let blocks = [
        Isolation::default(),
        Isolation { include_host_env: true, ..Isolation::default() },
        Isolation { allowed_domains: vec!["example.com".to_owned()], ..Isolation::default() },
    ];
    for word in AGENTS.iter().map(|agent| agent.id).chain(["all", "cursor", "claude,codex"]) {
        let words: Vec<String> = word.split(',').map(str::to_owned).collect();
        let agents = MountedAgents::choose(&words, &[]).unwrap();
        for (login, bedrock, bare) in [true, false].into_iter().flat_map(|login| {
            [("0", true), ("1", true), ("0", false), ("1", false)]
                .map(|(bedrock, bare)| (login, bedrock, bare))
        }) {
            let mut caller = rich_caller(bedrock);
            if bare {
                caller.retain(|name, _| name == "PATH" || name == "CLAUDE_CODE_USE_BEDROCK");
            }
            let secrets = |isolation: Option<&Isolation>| -> BTreeSet<OsString> {
                let request = PolicyRequest {
                    agents: &agents.observed,
                    others: &agents.others,
                    real_home: Some(Path::new("/nowhere")),
                    caller: &caller,
                    login,
                    isolation,
                    runs: true,
                    host: &host,
                };
                let all = decide(&request).unwrap().environment_in(Path::new("/m")).all;
                let secret = |value: &OsString| value.to_string_lossy().starts_with("secret");
                all.into_values().filter(secret).collect()
            };
            let without = secrets(None);
            for block in &blocks {
                let with = secrets(Some(block));
                let what = format!("{word}, login {login}, Bedrock {bedrock}: {with:?}");
                assert!(with.is_subset(&without), "{what}");
                let of = |prefix: &str| {
                    with.iter().any(|value| value.to_string_lossy().starts_with(prefix))
                };
                // Those of Claude's settings go to Claude, with its login, for Bedrock.
                let is_wanted = word == "claude" && login && bedrock == "1" && bare;
                assert_eq!(of("secret-host"), is_wanted, "{what}");
                assert!(!of("secret-SKILLS") && !of("secret-NPM") && !of("secret-KUBE"), "{what}");
            }
            assert!(!without.contains(OsStr::new("secret-SKILLS_REGISTRY_TOKEN")), "{word}");
        }
    }
}

#[test]
fn a_key_goes_under_its_own_name_and_to_one_vendor() {
    let caller = rich_caller("0");
    let key = |words: &str, variable: &str| {
        let words: Vec<String> = words.split(',').map(str::to_owned).collect();
        let agents = MountedAgents::choose(&words, &[]).unwrap();
        let isolation =
            Isolation { api_key_env: Some(variable.to_owned()), ..Isolation::default() };
        let request = PolicyRequest {
            agents: &agents.observed,
            others: &agents.others,
            real_home: None,
            caller: &caller,
            login: true,
            isolation: Some(&isolation),
            runs: true,
            host: &HostSettings::default(),
        };
        let policy = decide(&request).map_err(|error| error.message)?;
        let value = OsString::from(format!("secret-{variable}"));
        let names = policy.variables.iter().filter(|(_, one)| **one == value);
        Ok::<_, String>(names.map(|(name, _)| name.to_string_lossy().into_owned()).collect())
    };
    for (agents, variable, name) in [
        ("pi", "OPENAI_API_KEY", "OPENAI_API_KEY"),
        ("opencode", "GEMINI_API_KEY", "GEMINI_API_KEY"),
        ("claude", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
        ("claude", "MY_KEY", "ANTHROPIC_API_KEY"),
        ("pi", "MY_KEY", "ANTHROPIC_API_KEY"),
        ("opencode,pi", "OPENAI_API_KEY", "OPENAI_API_KEY"),
    ] {
        assert_eq!(key(agents, variable), Ok(vec![name.to_owned()]), "{agents} {variable}");
    }
    for (agents, variable, why) in [
        ("claude", "OPENAI_API_KEY", "is not a key of Claude"),
        ("claude", "GITHUB_TOKEN", "is not a key of Claude"),
        ("gemini", "AWS_SECRET_ACCESS_KEY", "is not a key of Gemini"),
        ("codex", "NPM_TOKEN", "is not a key of Codex"),
        ("pi", "SKILLS_REGISTRY_TOKEN", "is not a key of Pi"),
        ("all", "OPENAI_API_KEY", "is not a key of Claude"),
        ("all", "MY_KEY", "would go to several vendors"),
        ("claude,cursor", "MY_KEY", "would go to several vendors"),
        ("claude,cursor", "ANTHROPIC_API_KEY", "is not a key of cursor"),
        ("cursor", "MY_KEY", "no known variable of the agent can carry"),
    ] {
        let message = key(agents, variable).unwrap_err();
        assert!(message.contains(why), "{agents} {variable}: {message}");
    }
}
