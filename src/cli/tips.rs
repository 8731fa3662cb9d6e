//! Tips for words that are not commands. Similar spelling does not show what was meant: `undo`
//! resembles `unmount`. So only the words listed here get a tip.

/// Words that other programs use as commands, and what to do here instead.
pub const TIPS: &[(&[&str], &str)] = &[
    // Finding.
    (
        &["search", "find", "browse", "explore", "discover"],
        "skills searches no catalogue; `skills list gh:OWNER/REPO` lists the skills of a repository",
    ),
    (
        &["preview", "details", "inspect", "describe"],
        "use `skills show OWNER/REPO@NAME`, or `skills show NAME`",
    ),
    (&["open", "print", "readme"], "use `skills read skill://NAME`"),
    (&["which", "where", "path", "locate"], "use `skills list --format paths`"),
    (
        &["why", "status", "doctor"],
        "use `skills list -v` for what agents load, and `skills verify` for edits",
    ),
    (&["tree", "files"], "use `skills show NAME`"),
    (&["size", "digest", "hash"], "use `skills list --long`"),
    (&["lst", "lsit", "lits", "all", "installed"], "use `skills list`"),
    // Installing.
    (
        &["get", "fetch", "download", "clone", "import", "instal", "isntall", "intall"],
        "use `skills install`",
    ),
    (&["pull"], "use `skills update` for installed skills, and `skills install` for new ones"),
    (&["reinstall"], "use `skills install --force`"),
    (&["ci", "restore", "experimental_install"], "use `skills install --frozen`"),
    (&["link", "dev", "develop"], "use `skills install ./DIR --link`"),
    (&["refresh"], "use `skills update`"),
    (&["experimental_sync", "bundle", "apply"], "use `skills sync`"),
    (&["undo", "rollback", "revert"], "use `skills update --undo`"),
    (&["delete", "del", "erase", "unistall", "purge"], "use `skills remove`"),
    (&["toggle", "off", "on", "hide", "unhide"], "use `skills disable` and `skills enable`"),
    (
        &["prune", "autoremove", "clean", "gc"],
        "use `skills unmount --stale` for homes, and `skills remove` for skills",
    ),
    (&["freeze", "pin", "shrinkwrap"], "use `skills lock`"),
    // Writing.
    (&["create", "generate", "scaffold", "template"], "use `skills init`"),
    (
        &["rename", "mv", "move"],
        "change `name` in SKILL.md and rename its directory, then `skills install` it and `skills remove` the old name",
    ),
    (&["edit"], "edit the files of the skill, then run `skills validate`"),
    (&["test", "vaildate", "valdate", "verfiy", "checks"], "use `skills validate`"),
    (&["fix", "format", "fmt", "repair"], "use `skills validate --fix`"),
    (
        &["diff", "compare", "changes"],
        "use `skills show NAME --diff` to compare with the source, `skills verify` for edits, and `skills validate --diff` for repairs",
    ),
    (&["audit", "scan", "security"], "use `skills validate --deep`"),
    (&["rule"], "use `skills rules`, or `skills explain RULE`"),
    // Publishing.
    (
        &["publish", "release", "deploy"],
        "use `skills push` for a registry, `skills pack` for archives, or push to a git repository",
    ),
    (&["package", "zip", "archive", "build", "export"], "use `skills pack`"),
    (&["unpack", "unzip", "extract"], "use `skills install FILE.skill`"),
    (
        &["login", "logout", "whoami", "auth", "token", "signin", "adduser"],
        "skills stores no logins; it uses those of git, and for registries those of `docker login`",
    ),
    // Running.
    (&["run", "exec", "start", "launch", "shell", "x"], "use `skills mount ./skills -- COMMAND`"),
    (
        &["use", "activate", "load", "invoke"],
        "use `skills render --activate NAME` for the prompt, or `skills mount ./skills -- COMMAND`",
    ),
    (&["prompt", "catalog", "catalogue", "system-prompt"], "use `skills render`"),
    (&["umount", "unmout"], "use `skills unmount`"),
    // The program itself.
    (&["version", "v"], "use `skills --version`"),
    (
        &["config", "settings", "set"],
        "skills has no settings; `skills init --manifest` creates a skills.yaml",
    ),
    (
        &["agents", "targets", "providers"],
        "use `skills list --agent AGENT`, such as claude or codex",
    ),
    (&["completion", "complete"], "use `skills completions SHELL`"),
    (&["manual", "docs"], "use `skills man`, or `skills help COMMAND`"),
    (&["self-update", "selfupdate"], "update skills the way you installed it"),
];

/// The tip for a word, if there is one.
pub fn tip(word: &str) -> Option<&'static str> {
    TIPS.iter().find(|(words, _)| words.contains(&word)).map(|(_, tip)| *tip)
}
