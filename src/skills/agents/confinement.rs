//! How the agents with a sandbox are told to confine the commands of their models, as observed in the
//! running programs.

use serde_json::Value;

use crate::skills::agents::VariableValue;
use crate::skills::text::markdown;

/// How an agent is told to confine the commands of its model, as observed in the running program.
#[derive(Debug, Clone, Copy)]
pub struct Confinement {
    /// Its settings, below the home: JSON, or TOML if the name ends so.
    pub file: &'static str,
    /// What a sandbox always needs: paths of keys, and JSON; `UID` stands for the user's number.
    pub always: &'static [(&'static str, &'static str)],
    /// What is written when there is to be no sandbox.
    pub off: &'static [(&'static str, &'static str)],
    /// The keys of `isolation` that it honours, and how they are written.
    pub keys: &'static [(&'static str, &'static [Written])],
    /// Variables to set.
    pub set: &'static [(&'static str, VariableValue)],
    /// Arguments of the agent that undo it.
    pub undone_by: &'static [Undoing],
    /// Variables that lead the agent to settings that it prefers to those of its home.
    pub variables: &'static [&'static str],
    /// Settings of the project in the current directory that the agent prefers to those of its home,
    /// and whether such a text opens the sandbox.
    pub project: &'static [(&'static str, Opens)],
}

/// Whether a value or a text opens a sandbox.
type Opens = fn(&str) -> bool;

/// How a value is written to settings.
#[derive(Debug, Clone, Copy)]
pub enum Written {
    /// As it is, at this path of keys.
    Value(&'static str),
    /// At this path if it is a list.
    List(&'static str),
    /// At this path if it is not a list.
    Flag(&'static str),
    /// As keys below this path, each with this JSON.
    Each(&'static str, &'static str),
    /// This JSON at this path, whatever the value is.
    Fixed(&'static str, &'static str),
}

/// An argument that undoes a confinement.
#[derive(Debug, Clone, Copy)]
pub struct Undoing {
    /// Its spellings.
    pub words: &'static [&'static str],
    /// Which of its values do, if it has one.
    pub value: Option<Opens>,
    /// Whether all words up to the next option are values.
    pub is_list: bool,
}

/// Switches that undo a confinement.
const fn switches(words: &'static [&'static str]) -> Undoing {
    Undoing { words, value: None, is_list: false }
}

/// Options that undo a confinement with some of their values.
const fn options(words: &'static [&'static str], value: Opens) -> Undoing {
    Undoing { words, value: Some(value), is_list: false }
}

/// Options with lists of values, some of which undo a confinement.
const fn lists(words: &'static [&'static str], value: Opens) -> Undoing {
    Undoing { words, value: Some(value), is_list: true }
}

/// Claude. Without its flag, it warns where it finds no bubblewrap, and runs commands all the same.
pub const CLAUDE: Confinement = Confinement {
    file: ".claude/settings.json",
    always: &[
        ("sandbox.enabled", "true"),
        ("sandbox.failIfUnavailable", "true"),
        ("sandbox.autoAllowBashIfSandboxed", "true"),
        ("sandbox.allowUnsandboxedCommands", "false"),
        // Where it keeps its temporary files.
        ("sandbox.filesystem.allowWrite", "[\"/tmp/claude-UID\"]"),
        ("sandbox.network.allowedDomains", "[]"),
    ],
    off: &[("sandbox.enabled", "false")],
    keys: &[
        ("allowed_domains", &[Written::Value("sandbox.network.allowedDomains")]),
        ("readable_paths", &[Written::Value("sandbox.filesystem.allowRead")]),
        ("writable_paths", &[Written::Value("sandbox.filesystem.allowWrite")]),
        ("excluded_commands", &[Written::Value("sandbox.excludedCommands")]),
        ("auto_allow_bash", &[Written::Value("sandbox.autoAllowBashIfSandboxed")]),
        ("allow_unsandboxed_commands", &[Written::Value("sandbox.allowUnsandboxedCommands")]),
        ("weaker_nested_sandbox", &[Written::Value("sandbox.enableWeakerNestedSandbox")]),
        ("ignore_violations", &[Written::Value("sandbox.ignoreViolations")]),
        (
            "unix_sockets",
            &[
                Written::List("sandbox.network.allowUnixSockets"),
                Written::Flag("sandbox.network.allowAllUnixSockets"),
            ],
        ),
        ("local_binding", &[Written::Value("sandbox.network.allowLocalBinding")]),
        ("http_proxy_port", &[Written::Value("sandbox.network.httpProxyPort")]),
        ("socks_proxy_port", &[Written::Value("sandbox.network.socksProxyPort")]),
    ],
    set: &[],
    undone_by: &[
        // Commands stay confined, but its own tools write everywhere.
        switches(&["--dangerously-skip-permissions", "--allow-dangerously-skip-permissions"]),
        options(&["--permission-mode"], |mode| mode == "bypassPermissions"),
        // Ignores the settings of the home.
        switches(&["--restricted"]),
        options(&["--setting-sources"], |all| {
            !all.split(',').any(|source| source.trim() == "user")
        }),
        // A file can change before it is read.
        options(&["--settings"], |settings| {
            !settings.trim_start().starts_with('{') || opens_claude(settings)
        }),
        lists(&["--allowedTools", "--allowed-tools"], |tools| {
            tools.split([',', ' ']).any(opens_files_or_network)
        }),
        options(&["--agents"], |agents| agents.contains("ermissionMode") || agents.contains("\\u")),
        options(&["--add-dir"], |_| true),
    ],
    variables: &[],
    project: &[
        (".claude/settings.json", opens_claude),
        (".claude/settings.local.json", opens_claude),
    ],
};

/// Whether settings of Claude switch the sandbox off, or let its own tools leave the project.
fn opens_claude(settings: &str) -> bool {
    let Ok(settings) = serde_json::from_str::<Value>(settings) else {
        return !settings.trim().is_empty();
    };
    let permissions = &settings["permissions"];
    let mut rules = permissions["allow"].as_array().into_iter().flatten();
    settings.get("sandbox").is_some()
        || permissions.get("additionalDirectories").is_some()
        || permissions["defaultMode"] == "bypassPermissions"
        || rules.any(|rule| rule.as_str().is_none_or(opens_files_or_network))
}

/// Whether a rule that allows tools of Claude is for those that the sandbox does not confine.
fn opens_files_or_network(rule: &str) -> bool {
    let tool = rule.trim().split('(').next().unwrap_or_default();
    matches!(tool, "Edit" | "MultiEdit" | "Write" | "NotebookEdit" | "WebFetch" | "*")
}

/// Codex, which brings its own bubblewrap.
pub const CODEX: Confinement = Confinement {
    file: ".codex/config.toml",
    always: &[
        ("sandbox_mode", "\"workspace-write\""),
        ("approval_policy", "\"never\""),
        ("sandbox_workspace_write.network_access", "false"),
        // The home may lie there.
        ("sandbox_workspace_write.exclude_slash_tmp", "true"),
    ],
    off: &[],
    keys: &[
        (
            "allowed_domains",
            &[
                Written::Fixed("sandbox_workspace_write.network_access", "true"),
                Written::Fixed("features.network_proxy.enabled", "true"),
                Written::Each("features.network_proxy.domains", "\"allow\""),
            ],
        ),
        // Commands read everything.
        ("readable_paths", &[]),
        ("writable_paths", &[Written::Value("sandbox_workspace_write.writable_roots")]),
    ],
    set: &[("TMPDIR", VariableValue::Below(".tmp"))],
    undone_by: &[
        switches(&[
            "--dangerously-bypass-approvals-and-sandbox",
            "--yolo",
            "--dangerously-bypass-hook-trust",
            "--ignore-user-config",
            // Believes the settings of the project.
            "--trust",
            "--approve-for-me",
        ]),
        options(&["--sandbox", "-s"], |mode| !matches!(mode, "read-only" | "workspace-write")),
        options(&["--ask-for-approval", "-a"], |policy| policy != "never"),
        options(&["--config", "-c"], overrides_sandbox),
        options(&["--enable", "--disable"], |feature| feature == "network_proxy"),
        options(&["--profile", "-p", "--add-dir"], |_| true),
        options(&["--cd", "-C"], |path| !markdown::is_inner_path(path)),
    ],
    variables: &[],
    // Nobody trusts the project in a new home.
    project: &[],
};

/// Whether an override of the configuration can open the sandbox.
fn overrides_sandbox(setting: &str) -> bool {
    let key = setting.split('=').next().unwrap_or_default().replace(['"', '\'', ' '], "");
    let openers = [
        "approval_policy",
        "approvals_reviewer",
        "default_permissions",
        "features.network_proxy",
        "permissions",
        "profile",
        "projects",
        "sandbox_mode",
        "sandbox_permissions",
        "sandbox_workspace_write",
    ];
    openers.iter().any(|opener| key.starts_with(opener)) || matches!(&*key, "features" | "")
}

/// Gemini. Its other sandbox, `tools.sandbox`, needs containers, and leaves the network open.
pub const GEMINI: Confinement = Confinement {
    file: ".gemini/settings.json",
    always: &[
        ("security.toolSandboxing", "true"),
        ("tools.sandboxNetworkAccess", "false"),
        ("tools.allowed", "[\"run_shell_command\"]"),
    ],
    off: &[],
    keys: &[
        // Commands read everything.
        ("readable_paths", &[]),
        ("auto_allow_bash", &[Written::Fixed("tools.allowed", "[]")]),
    ],
    set: &[],
    undone_by: &[
        // Opens the network.
        switches(&["--yolo", "--y", "-y"]),
        options(&["--approval-mode", "--approvalMode"], |mode| mode == "yolo"),
        options(
            &[
                "--policy",
                "--admin-policy",
                "--adminPolicy",
                "--include-directories",
                "--includeDirectories",
            ],
            |_| true,
        ),
    ],
    variables: &[
        "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
        "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
        "GEMINI_CLI_TRUSTED_FOLDERS_PATH",
    ],
    project: &[(".gemini/settings.json", |settings| {
        // They may have comments, and escapes can spell any word.
        let words = ["\\u", "andbox", "yolo", "includeDirectories", "policyPaths"];
        words.iter().any(|word| settings.contains(word))
    })],
};
