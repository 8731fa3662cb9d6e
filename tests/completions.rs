//! The completions that shells offer. The committed scripts must match what the program prints.

use std::fs;
use std::path::Path;

use crate::harness::{AGENTS, Sandbox, formats, lacks, rules, verbs};

/// Every shell, and the name of its script.
const SCRIPTS: [(&str, &str); 5] = [
    ("bash", "skills.bash"),
    ("zsh", "_skills"),
    ("fish", "skills.fish"),
    ("powershell", "_skills.ps1"),
    ("elvish", "skills.elv"),
];

fn committed(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The completions of bash for the last of these words.
fn bash(words: &[&str]) -> Vec<String> {
    let sandbox = Sandbox::new();
    sandbox.write("skills.bash", committed("completions/skills.bash"));
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let script = format!(
        "source ./skills.bash; COMP_WORDS=({}); COMP_CWORD={}\n\
         _skills skills \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        quoted.join(" "),
        words.len() - 1
    );
    sandbox.write("tab.bash", script);
    let run = sandbox.shell("bash tab.bash");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    run.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn bash_offers_agents_formats_rules_and_levels() {
    if lacks(&["bash"]) {
        return;
    }
    assert_eq!(bash(&["skills", "ver"]), ["verify"]);
    // Agents whose behaviour is known come first.
    let agents = [
        "codex",
        "copilot",
        "codearts-agent",
        "codebuddy",
        "codemaker",
        "codestudio",
        "command-code",
        "continue",
        "cortex",
    ];
    assert_eq!(bash(&["skills", "list", "--agent", "co"]), agents);
    assert_eq!(bash(&["skills", "install", "--agent", "windsu"]), ["windsurf"]);
    assert_eq!(bash(&["skills", "mount", "./x", "--agent", "al"]), ["all"]);
    let formats = ["human", "json", "sarif", "github", "gitlab", "junit"];
    assert_eq!(bash(&["skills", "validate", "--format", ""]), formats);
    assert_eq!(bash(&["skills", "explain", "invalid-"]), ["invalid-yaml"]);
    let levels = ["off", "note", "warning", "error"].map(|level| format!("invalid-yaml={level}"));
    assert_eq!(bash(&["skills", "validate", "--rule", "invalid-"]), levels);
    assert_eq!(bash(&["skills", "validate", "--fix", ""]), [""], "a source follows");
    for word in ["./unknown", ""] {
        assert_eq!(bash(&["skills", "validate", word]), [""], "files are for bash to find");
    }
    // Bash treats `=` as a separate word.
    assert_eq!(bash(&["skills", "list", "--agent", "=", "co"]), agents);
    assert_eq!(bash(&["skills", "validate", "--rule", "invalid-yaml", "=", "o"]), ["off"]);
    assert_eq!(
        bash(&["skills", "validate", "--rule", "invalid-yaml", "="]),
        ["off", "note", "warning", "error"]
    );
    // After `--` comes a command.
    assert!(bash(&["skills", "mount", "x", "--", "tru"]).iter().any(|word| word == "true"));
}

#[test]
fn every_shell_gets_every_value() {
    let mut wanted: Vec<String> = rules().iter().map(|id| format!("{id}=warning")).collect();
    wanted.extend(AGENTS.map(str::to_owned));
    wanted.extend(verbs());
    wanted.extend(verbs().iter().flat_map(|verb| formats(verb)));
    for (shell, file) in SCRIPTS {
        let script = committed(&format!("completions/{file}"));
        let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '=');
        let words: std::collections::HashSet<&str> = script.split(|c| !is_letter(c)).collect();
        for word in &wanted {
            assert!(words.contains(word.as_str()), "{shell} does not offer `{word}`");
        }
    }
}

#[test]
fn generated_completions_are_committed() {
    let sandbox = Sandbox::new();
    let stale = |path: &str| format!("{path} is stale: run .ci/generate and commit the result");
    for (shell, file) in SCRIPTS {
        let path = format!("completions/{file}");
        assert!(sandbox.run(["completions", shell]).stdout == committed(&path), "{}", stale(&path));
    }
    for (path, args) in [
        ("docs/rules.md", &["rules", "--format", "markdown"][..]),
        ("docs/skills.schema.json", &["schema"]),
    ] {
        assert!(sandbox.run(args).stdout == committed(path), "{}", stale(path));
    }
    sandbox.run(["man", "--dir", "man"]);
    let pages = |directory: &Path| {
        let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
        let mut pages: Vec<_> = entries
            .map(|path| (path.file_name().unwrap().to_owned(), fs::read_to_string(&path).unwrap()))
            .collect();
        pages.sort();
        pages
    };
    let here = pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/man"));
    assert!(here == pages(&sandbox.path("man")), "{}", stale("docs/man"));
}

/// Presses tab in a real zsh after `$1` and prints the completions; `_skills` is in this directory.
const ZSH_TAB: &str = r#"
zmodload zsh/zpty || exit 3
zpty shell zsh -f -i
zpty -w shell 'source ./inside.zsh'
zpty -r -m shell seen '*READY*' || exit 4
zpty -w -n shell "$1"$'\t'
zpty -r -m shell seen '*<<<*>>>*' || exit 5
zpty -d shell
seen=${seen#*<<<}
print -r -- ${${seen%%>>>*}//$'\r'/}
"#;
/// What that zsh does first: matches are printed instead of inserted.
const ZSH_INSIDE: &str = r#"
PS1= RPS1=; unsetopt prompt_cr prompt_sp
fpath=($PWD $fpath); autoload -U compinit; compinit -u -D
setopt no_list_ambiguous no_beep; bindkey '^I' complete-word
compadd () {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
        builtin compadd "$@"
        return
    fi
    local -a hits
    builtin compadd -O hits "$@"
    [[ -z $hits ]] || print -rl -- $hits
}
opening () { print '<<<'; compprefuncs=(opening) }
closing () { print '>>>'; comppostfuncs=(closing) }
compprefuncs=(opening) comppostfuncs=(closing)
print READY
"#;

/// A place with two installed skills, a manifest that has others, and the program on its `PATH`.
fn with_installed_skills() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.symlink(env!("CARGO_BIN_EXE_skills"), "../bin/skills");
    sandbox.home_skill(".claude/skills/pdf-forms");
    sandbox.home_skill(".claude/skills/csv");
    sandbox.write("skills.yaml", "skills: []\n");
    sandbox
}

fn lines(sandbox: &Sandbox, command: &str) -> Vec<String> {
    let run = sandbox.shell(&format!("PATH=$HOME/../bin:$PATH; {command}"));
    assert_eq!(run.code, 0, "{command}: {}", run.all());
    let mut lines: Vec<String> = run.stdout.lines().map(|line| line.trim().to_owned()).collect();
    lines.retain(|line| !line.is_empty());
    lines.sort();
    lines.dedup();
    lines
}

fn zsh(sandbox: &Sandbox, line: &str) -> Vec<String> {
    sandbox.write("_skills", sandbox.run(["completions", "zsh"]).stdout);
    sandbox.write("tab.zsh", ZSH_TAB);
    sandbox.write("inside.zsh", ZSH_INSIDE);
    lines(sandbox, &format!("timeout 120 zsh -f tab.zsh '{line}'"))
}

fn fish(sandbox: &Sandbox, line: &str) -> Vec<String> {
    sandbox.write("skills.fish", sandbox.run(["completions", "fish"]).stdout);
    let offered = lines(
        sandbox,
        &format!("timeout 120 fish --no-config -c 'source skills.fish; complete -C \"{line}\"'"),
    );
    // The description follows a tab.
    offered.iter().filter_map(|line| line.split('\t').next().map(str::to_owned)).collect()
}

/// What both shells must offer.
fn offers_what_bash_offers(tab: fn(&Sandbox, &str) -> Vec<String>) {
    let sandbox = with_installed_skills();
    assert_eq!(tab(&sandbox, "skills ver"), ["verify"]);
    assert_eq!(tab(&sandbox, "skills uninst"), ["uninstall"], "aliases, too");
    assert_eq!(tab(&sandbox, "skills list --agent copi"), ["copilot"]);
    assert_eq!(tab(&sandbox, "skills install -a windsu"), ["windsurf"]);
    assert_eq!(tab(&sandbox, "skills explain invalid-"), ["invalid-yaml"]);
    let levels = ["error", "note", "off", "warning"].map(|one| format!("invalid-yaml={one}"));
    assert_eq!(tab(&sandbox, "skills check --rule invalid-"), levels);
    // The names of installed skills, not those of the manifest.
    assert_eq!(tab(&sandbox, "skills remove pdf"), ["pdf-forms"]);
    assert_eq!(tab(&sandbox, "skills rm "), ["csv", "pdf-forms"]);
    assert_eq!(tab(&sandbox, "skills verify c"), ["csv"]);
    // After `--` comes a command with arguments of its own.
    sandbox.write("only-file.txt", "");
    assert!(tab(&sandbox, "skills mount x -- tru").iter().any(|word| word == "true"));
    let files = tab(&sandbox, "skills mount x -- cat only-");
    assert!(files.iter().any(|word| word.ends_with("only-file.txt")), "{files:?}");
    assert!(!tab(&sandbox, "skills mount x -- cat --ke").iter().any(|word| word == "--keep"));
    assert!(tab(&sandbox, "skills mount x --ke").iter().any(|word| word == "--keep"));
}

#[test]
fn zsh_offers_what_bash_offers() {
    if !lacks(&["zsh", "timeout"]) {
        offers_what_bash_offers(zsh);
    }
}

#[test]
fn fish_offers_what_bash_offers() {
    if !lacks(&["fish", "timeout"]) {
        offers_what_bash_offers(fish);
    }
}
