//! Confines the commands of an isolated agent, as its row says, or refuses to start it: a block that
//! is ignored is worse than none.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::skills::agents::Agent;
use crate::skills::agents::confinement::{Confinement, Undoing, Written};
use crate::skills::agents::launched::CommandLine;
use crate::skills::agents::table::InstallTarget;
use crate::skills::files;
use crate::skills::files::content::{self, Content};
use crate::skills::find::manifest::Isolation;
use crate::skills::find::manifest::sandbox::{SandboxPath, UnixSockets};
use crate::skills::model::error::{Error, Result, err};
use crate::skills::mount::policy;

/// What a block asks for beyond a plain sandbox, with its values.
fn asked(isolation: &Isolation, expand: &dyn Fn(&Path) -> PathBuf) -> Vec<(&'static str, Value)> {
    let sandbox = &isolation.sandbox;
    let absolute = |paths: &[SandboxPath]| -> Vec<String> {
        paths.iter().map(|path| path.absolute(expand)).collect()
    };
    let sockets = match &sandbox.unix_sockets {
        UnixSockets::All => json!(true),
        UnixSockets::These(sockets) => json!(sockets),
    };
    let all = [
        ("allowed_domains", json!(isolation.allowed_domains)),
        ("readable_paths", json!(absolute(&sandbox.readable_paths))),
        ("writable_paths", json!(absolute(&sandbox.writable_paths))),
        ("excluded_commands", json!(sandbox.excluded_commands)),
        ("auto_allow_bash", if sandbox.auto_allow_bash { Value::Null } else { json!(false) }),
        ("allow_unsandboxed_commands", json!(sandbox.allow_unsandboxed_commands)),
        ("weaker_nested_sandbox", json!(sandbox.weaker_nested_sandbox)),
        ("ignore_violations", json!(sandbox.ignore_violations)),
        ("unix_sockets", sockets),
        ("local_binding", json!(sandbox.local_binding)),
        ("http_proxy_port", json!(sandbox.http_proxy_port)),
        ("socks_proxy_port", json!(sandbox.socks_proxy_port)),
    ];
    let is_asked = |(key, value): &(&str, Value)| match value {
        Value::Null => false,
        Value::Bool(value) => *value || *key == "auto_allow_bash",
        Value::Array(items) => !items.is_empty(),
        Value::Object(items) => !items.is_empty(),
        Value::Number(_) | Value::String(_) => true,
    };
    all.into_iter().filter(is_asked).collect()
}

/// Refuses a block that one of the agents cannot honour.
pub fn refuse_unheeded(
    isolation: &Isolation,
    agents: &[&Agent],
    others: &[&InstallTarget],
) -> Result<()> {
    let asked = asked(isolation, &|path| path.to_owned());
    if !isolation.sandbox.enabled {
        return match asked.iter().find(|(key, _)| *key == "allowed_domains") {
            Some((key, _)) => Err(refusal(key, "needs a sandbox, and `sandbox` is false")
                .help(format!("use `--ignore-isolation {key}`, or switch the sandbox on"))),
            None => Ok(()),
        };
    }
    if let Some(target) = others.first() {
        return Err(unheeded("sandbox", target.id, "is not known to have a sandbox"));
    }
    for agent in agents {
        let confinement = agent.mounting.confinement.as_ref();
        let confinement = confinement.map_err(|why| unheeded("sandbox", agent.title, why))?;
        let knows = |key: &str| confinement.keys.iter().any(|(known, _)| *known == key);
        if let Some((key, _)) = asked.iter().find(|(key, _)| !knows(key)) {
            return Err(unheeded(key, agent.title, "has no setting for it"));
        }
    }
    Ok(())
}

fn refusal(key: &str, why: &str) -> Error {
    let below = if matches!(key, "allowed_domains" | "sandbox") { "" } else { "sandbox." };
    err!(Usage, "`isolation.{below}{key}` {why}")
}

fn unheeded(key: &str, agent: &str, why: &str) -> Error {
    let only =
        if key == "sandbox" { " (`sandbox: false` in the manifest says the same)" } else { "" };
    refusal(key, &format!("cannot be honoured: {agent} {why}")).help(format!(
        "use `--agent claude`, start without it by `--ignore-isolation {key}`{only}, or run the \
         agent in a container"
    ))
}

/// Refuses to start an agent that the home was not made for, or with arguments that undo its
/// confinement.
pub fn refuse_undone(mounted: &[&Agent], agent: &Agent, arguments: &[String]) -> Result<()> {
    if !mounted.contains(&agent) {
        return Err(err!(
            Usage,
            "the command runs {}, whose commands are not confined",
            agent.title
        )
        .help(format!(
            "add `--agent {}`, or start without a sandbox by `--ignore-isolation sandbox`",
            agent.id
        )));
    }
    let Ok(confinement) = &agent.mounting.confinement else { return Ok(()) };
    for (number, argument) in arguments.iter().enumerate().take_while(|(_, one)| **one != "--") {
        let next = &arguments[number + 1..];
        if confinement.undone_by.iter().any(|undoing| undoes(undoing, argument, next)) {
            let name = argument.split(['=', ' ']).next().unwrap_or_default();
            return Err(err!(
                Usage,
                "`{name}` would open the sandbox of {} that `isolation` asks for",
                agent.title
            )
            .help(
                "leave it out, say what commands may do in `isolation`, or start without a sandbox \
                 by `--ignore-isolation sandbox`",
            ));
        }
    }
    Ok(())
}

/// Refuses a command that leads the agent out of its home, whoever vouches for it.
pub fn refuse_moved(isolation: &Isolation, agents: &[&Agent], line: &CommandLine) -> Result<()> {
    let is_ours = |name: &str| policy::is_of_the_mount(name, agents, Some(isolation));
    let Some((program, name)) = line.variables.iter().find(|(_, name)| is_ours(name)) else {
        return Ok(());
    };
    Err(err!(
        Usage,
        "`{program}` changes `{name}`, and would lead the agent out of the home that `isolation` \
         asks for"
    )
    .help("leave it out: `mount` sets it itself"))
}

/// Refuses a command that can hide what it runs, if nobody vouches for it by naming the agent.
pub fn refuse_hidden(agents: &[&Agent], line: &CommandLine) -> Result<()> {
    let Some(why) = &line.hidden else { return Ok(()) };
    let id = agents.first().map_or("codex", |agent| agent.id);
    Err(err!(Usage, "`isolation` cannot be checked: {why}").help(format!(
        "use a plain command such as `-- {id} …`, or name the agent with `--agent {id}`, and what \
         the command does is up to you"
    )))
}

/// What of a command nobody has checked, although it may undo the sandbox.
pub fn unchecked(isolation: &Isolation, line: &CommandLine, program: &Path) -> Option<String> {
    let unknown = || format!("what `{}` starts is not known", program.display());
    let why = line.hidden.clone().or_else(|| line.agents.is_empty().then(unknown));
    why.filter(|_| isolation.sandbox.enabled && !program.as_os_str().is_empty())
}

fn undoes(undoing: &Undoing, argument: &str, next: &[String]) -> bool {
    undoing.words.iter().any(|word| {
        let rest = argument.strip_prefix(word);
        match undoing.value {
            // Short switches may stand together.
            None if !word.starts_with("--") => argument.strip_prefix('-').is_some_and(|all| {
                let is_switch = |one: char| one.is_ascii_alphanumeric() || one == '_';
                let value = all.trim_start_matches(is_switch);
                all[..all.len() - value.len()].contains(&word[1..]) && value != "=false"
            }),
            // To some parsers, `--x.y` sets a part of `--x`.
            None => rest.is_some_and(|rest| {
                rest.is_empty()
                    || rest.starts_with('.')
                    || rest.starts_with('=') && rest != "=false"
            }),
            Some(opens) => rest.is_some_and(|rest| match rest.strip_prefix('=') {
                Some(value) => opens(value),
                None if rest.is_empty() && undoing.is_list => {
                    next.iter().take_while(|one| !one.starts_with('-')).any(|one| opens(one))
                }
                None if rest.is_empty() => next.first().is_some_and(|next| opens(next)),
                None => !word.starts_with("--") && opens(rest),
            }),
        }
    })
}

/// Refuses settings of the project that the agent would prefer to those of its home.
pub fn refuse_project(agents: &[&Agent], directory: &Path) -> Result<()> {
    for agent in agents {
        let Ok(confinement) = &agent.mounting.confinement else { continue };
        for (file, opens) in confinement.project {
            let path = directory.join(file);
            let opens = match content::read(&path) {
                Content::Text(text) => opens(&text),
                _ => path.exists(),
            };
            if opens {
                let help = "start elsewhere, remove these settings, or start without a sandbox by \
                            `--ignore-isolation sandbox`";
                return Err(err!(
                    Usage,
                    "`{file}` of this project can open the sandbox of {} that `isolation` asks for",
                    agent.title
                )
                .at(&path)
                .help(help));
            }
        }
    }
    Ok(())
}

/// The settings that confine an agent. `expand` makes a path of the manifest absolute.
pub fn settings(
    confinement: &Confinement,
    isolation: &Isolation,
    expand: &dyn Fn(&Path) -> PathBuf,
) -> Value {
    let mut all = Value::Object(Map::new());
    let user = files::user_id().unwrap_or_default().to_string();
    let literal =
        |json: &str| serde_json::from_str(&json.replace("UID", &user)).unwrap_or_default();
    let fixed = if isolation.sandbox.enabled { confinement.always } else { confinement.off };
    for (path, json) in fixed {
        put(&mut all, path, literal(json));
    }
    if !isolation.sandbox.enabled {
        return all;
    }
    for (key, value) in asked(isolation, expand) {
        let ways = confinement.keys.iter().filter(|(known, _)| *known == key);
        for way in ways.flat_map(|(_, ways)| *ways) {
            match way {
                Written::Value(path) => put(&mut all, path, value.clone()),
                Written::List(path) if value.is_array() => put(&mut all, path, value.clone()),
                Written::Flag(path) if !value.is_array() => put(&mut all, path, value.clone()),
                Written::List(_) | Written::Flag(_) => {}
                Written::Fixed(path, json) => put(&mut all, path, literal(json)),
                Written::Each(path, json) => {
                    let names = value.as_array().into_iter().flatten().filter_map(Value::as_str);
                    let each = names.map(|name| (name.to_owned(), literal(json)));
                    put(&mut all, path, Value::Object(each.collect()));
                }
            }
        }
    }
    all
}

/// Puts a value at a path of keys; what is in a list already stays behind new items.
fn put(settings: &mut Value, path: &str, value: Value) {
    let place = path.split('.').fold(settings, |place, key| &mut place[key]);
    match (place.as_array_mut(), value) {
        (Some(there), Value::Array(mut new)) if !new.is_empty() => {
            there.retain(|one| !new.contains(one));
            new.append(there);
            *there = new;
        }
        (_, value) => *place = value,
    }
}

/// Writes settings as TOML, one key a line.
pub fn toml(settings: &Value) -> String {
    fn lines(prefix: &str, value: &Value, out: &mut String) {
        let Value::Object(keys) = value else {
            // JSON escapes all but this one as TOML does.
            let value = value.to_string().replace('\u{7f}', "\\u007f");
            *out += &format!("{prefix} = {value}\n");
            return;
        };
        for (key, value) in keys {
            let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
            let key = match key.bytes().all(is_bare) && !key.is_empty() {
                true => key.clone(),
                false => json!(key).to_string().replace('\u{7f}', "\\u007f"),
            };
            let prefix = if prefix.is_empty() { key } else { format!("{prefix}.{key}") };
            lines(&prefix, value, out);
        }
    }
    let mut out = String::new();
    lines("", settings, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::agents::{AGENTS, find};

    fn confinement(agent: &str) -> &'static Confinement {
        find(agent).unwrap().mounting.confinement.as_ref().unwrap()
    }

    fn plain(agent: &str, isolation: &Isolation) -> Value {
        settings(confinement(agent), isolation, &|path| Path::new("/here").join(path))
    }

    #[test]
    fn the_sandbox_is_closed_unless_it_is_opened() {
        let closed = plain("claude", &Isolation::default());
        assert_eq!(closed["sandbox"]["enabled"], true);
        assert_eq!(closed["sandbox"]["failIfUnavailable"], true);
        assert_eq!(closed["sandbox"]["allowUnsandboxedCommands"], false);
        assert_eq!(closed["sandbox"]["network"]["allowedDomains"], json!([]));
        let mut off = Isolation::default();
        off.ignore("sandbox").unwrap();
        assert_eq!(plain("claude", &off), json!({"sandbox": {"enabled": false}}));
        assert_eq!(plain("codex", &off), json!({}));
        let open =
            Isolation { allowed_domains: vec!["a.example".to_owned()], ..Isolation::default() };
        assert_eq!(plain("claude", &open)["sandbox"]["network"]["allowedDomains"][0], "a.example");
        assert_eq!(
            toml(&plain("codex", &open)),
            "approval_policy = \"never\"\nfeatures.network_proxy.domains.\"a.example\" = \"allow\"\n\
             features.network_proxy.enabled = true\nsandbox_mode = \"workspace-write\"\n\
             sandbox_workspace_write.exclude_slash_tmp = true\n\
             sandbox_workspace_write.network_access = true\n"
        );
        assert_eq!(
            toml(&json!({"a": {"x\"\n\u{7f}": ["\u{7f}", 1]}})),
            "a.\"x\\\"\\n\\u007f\" = [\"\\u007f\",1]\n"
        );
    }

    #[test]
    fn arguments_that_undo_a_sandbox_are_recognised() {
        let refused = |agent: &str, line: &str| {
            let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
            {
                let agent = find(agent).unwrap();
                refuse_undone(&[agent], agent, &arguments).is_err()
            }
        };
        for (agent, lines) in [
            (
                "codex",
                "exec --yolo|exec -s danger-full-access hi|-sdanger-full-access|-s=danger-full-access|\
                 --sandbox=danger-full-access|exec -c sandbox_mode=\"danger-full-access\"|\
                 -csandbox_mode=x|--config=sandbox_workspace_write.network_access=true|\
                 -c default_permissions=:danger-full-access|-c approval_policy=on-request|\
                 --dangerously-bypass-approvals-and-sandbox|exec --trust hi|--ignore-user-config|\
                 -a on-request|--add-dir /|-C /|--cd=..|-c features.network_proxy.enabled=false|\
                 --disable network_proxy|--approve-for-me|-p other|-c \"sandbox_mode\"=x",
            ),
            (
                "claude",
                "--dangerously-skip-permissions|-p hi --permission-mode bypassPermissions|\
                 --permission-mode=bypassPermissions|--settings {\"sandbox\":{}}|--settings file|\
                 --settings={\"s\\u0061ndbox\":{}}|\
                 --settings={\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}|\
                 --settings={\"permissions\":{\"allow\":[\"Write\"]}}|\
                 --allowedTools WebFetch(domain:x)|--allowed-tools Read Edit(//etc/**)|\
                 --allowedTools=Read,Write|--agents {\"x\":{\"permissionMode\":\"bypassPermissions\"}}|--setting-sources project,local|--restricted|\
                 --add-dir /",
            ),
            (
                "gemini",
                "--y|-y=true|-y1|--yolo.x=1|--yolo|-y|-dy|--yolo=true|--approval-mode yolo|--approval-mode=yolo",
            ),
        ] {
            for line in lines.split('|') {
                assert!(refused(agent, line), "{agent} {line}");
            }
        }
        for (agent, lines) in [
            (
                "codex",
                "exec hi|-s read-only|-sworkspace-write|-c model=fake|-c features.plugins=false|\
                 -a never|-C sub|exec -- --yolo|-m yolo",
            ),
            (
                "claude",
                "-p hi --model x|--settings {\"model\":\"x\"}|--setting-sources user,project|\
                 --permission-mode acceptEdits|--allowedTools Read,Bash(git log:*) Grep -p Edit|\
                 --settings {\"permissions\":{\"deny\":[\"Write\"]},\"hooks\":{\"x\":\"Edit\"}}|\
                 --disallowedTools Write|--agents {\"x\":{}}",
            ),
            (
                "gemini",
                "-m gemini-2.5-flash -p hi|--approval-mode auto_edit|--yolo=false|-y=false|-- -y",
            ),
            ("copilot", "--yolo"),
        ] {
            for line in lines.split('|') {
                assert!(!refused(agent, line), "{agent} {line}");
            }
        }
    }

    #[test]
    fn every_key_of_a_row_is_one_that_a_block_can_have() {
        use crate::skills::find::manifest::sandbox::SANDBOX_KEYS;
        for confinement in AGENTS.iter().filter_map(|one| one.mounting.confinement.as_ref().ok()) {
            for (key, _) in confinement.keys {
                assert!(*key == "allowed_domains" || SANDBOX_KEYS.contains(key), "{key}");
            }
            for (_, json) in confinement.always.iter().chain(confinement.off) {
                assert!(serde_json::from_str::<Value>(&json.replace("UID", "0")).is_ok(), "{json}");
            }
        }
    }
}
