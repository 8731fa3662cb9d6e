//! A sandbox for every test: home, temporary directory and work directory. The binary runs inside
//! it with a clean environment.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

pub(crate) use crate::skips::{lacks, skip};

/// A run that takes longer has hung.
const LIMIT: Duration = Duration::from_secs(60);

/// The agents whose reading of skills is known.
pub(crate) const AGENTS: [&str; 6] = ["claude", "codex", "opencode", "copilot", "gemini", "pi"];

/// A valid description, for skills whose description does not matter.
pub(crate) const DESCRIPTION: &str =
    "Extract text from PDF files. Use when the user mentions PDFs.";

/// A temporary directory with a home, a place for temporary files and a work directory.
pub(crate) struct Sandbox {
    _temp: TempDir,
    root: PathBuf,
}

/// The output of a run, and its exit code.
pub(crate) struct Run {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        #[cfg(unix)]
        hear_signals();
        let temp = tempfile::Builder::new().prefix("skills-test-").tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        for directory in ["home", "tmp", "project"] {
            fs::create_dir(root.join(directory)).unwrap();
        }
        Self { _temp: temp, root }
    }

    /// A path below the work directory.
    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join("project").join(relative)
    }

    /// Makes the work directory a repository, so that agents do not search above it.
    pub(crate) fn repository() -> Self {
        let sandbox = Self::new();
        sandbox.mkdir(".git");
        sandbox
    }

    pub(crate) fn mkdir(&self, relative: impl AsRef<Path>) -> PathBuf {
        let path = self.path(relative);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Writes a file, with the directories above it.
    pub(crate) fn write(&self, relative: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn read(&self, relative: impl AsRef<Path>) -> String {
        fs::read_to_string(self.path(relative)).unwrap()
    }

    /// A skill whose `SKILL.md` has this text.
    pub(crate) fn skill(&self, directory: &str, text: &str) -> PathBuf {
        self.write(Path::new(directory).join("SKILL.md"), text)
    }

    /// A skill below the home, without any fault.
    pub(crate) fn home_skill(&self, directory: &str) -> PathBuf {
        self.good_skill(&format!("../home/{directory}"))
    }

    /// A skill without any fault, named after the last part of `directory`.
    pub(crate) fn good_skill(&self, directory: &str) -> PathBuf {
        self.skill(directory, &good_text(directory.rsplit('/').next().unwrap()))
    }

    /// Copies a folder of `fixtures/` into the work directory.
    pub(crate) fn copy_fixture(&self, fixture: &str, target: &str) {
        copy(&fixtures().join(fixture), &self.path(target));
    }

    /// Copies a folder of this repository into the work directory.
    pub(crate) fn copy_from_repository(&self, folder: &str) {
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &self.path(folder));
    }

    #[cfg(unix)]
    pub(crate) fn chmod(&self, relative: impl AsRef<Path>, mode: u32) {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(self.path(relative), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Writes a program that can run immediately. A separate process writes it: the system refuses to
    /// run a file that is open for writing, and a process that another test starts meanwhile would
    /// inherit the open file.
    #[cfg(unix)]
    pub(crate) fn program(&self, relative: impl AsRef<Path>, text: impl Into<Vec<u8>>) -> PathBuf {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let write = "cat > \"$0\" && chmod 755 \"$0\"";
        let mut shell = Command::new("sh");
        shell.args(["-c", write]).arg(&path).write_stdin(text).assert().success();
        path
    }

    /// The permission bits of a file.
    #[cfg(unix)]
    pub(crate) fn mode(&self, relative: impl AsRef<Path>) -> u32 {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(self.path(relative)).unwrap().permissions().mode() & 0o7777
    }

    #[cfg(unix)]
    pub(crate) fn symlink(&self, target: impl AsRef<Path>, relative: impl AsRef<Path>) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    #[cfg(unix)]
    pub(crate) fn fifo(&self, relative: impl AsRef<Path>) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    /// Runs the binary in the work directory.
    pub(crate) fn run<I: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = I>) -> Run {
        self.run_with(args, |_| {})
    }

    /// Runs the binary after `prepare` has changed the command.
    pub(crate) fn run_with<I: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = I>,
        prepare: impl FnOnce(&mut Command),
    ) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skills"));
        command.args(args);
        self.finish(command, prepare)
    }

    /// Runs a line of shell in which `$SKILLS` is the binary.
    pub(crate) fn shell(&self, line: &str) -> Run {
        self.run_with_shell("sh", line)
    }

    /// Runs a line of this shell in which `$SKILLS` is the binary.
    pub(crate) fn run_with_shell(&self, shell: &str, line: &str) -> Run {
        let mut command = Command::new(shell);
        command.args(["-c", line]);
        self.finish(command, |command| {
            command.env("SKILLS", env!("CARGO_BIN_EXE_skills"));
        })
    }

    /// Runs a line of shell on a terminal with this many columns, in which `$SKILLS` is the binary.
    /// Standard output has the screen; none if there is no terminal.
    #[track_caller]
    pub(crate) fn terminal(&self, columns: usize, line: &str) -> Option<Run> {
        if lacks(&["script", "stty"]) {
            return None;
        }
        let version = std::process::Command::new("script").arg("--version").output().unwrap();
        if !String::from_utf8_lossy(&version.stdout).contains("util-linux") {
            skip("this `script` is not that of util-linux");
            return None;
        }
        let mut command = Command::new("script");
        let line = format!("stty cols {columns} rows 24 -onlcr; {line}");
        command.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
        Some(self.finish(command, |command| {
            command.env("SKILLS", env!("CARGO_BIN_EXE_skills"));
        }))
    }

    fn finish(&self, mut command: Command, prepare: impl FnOnce(&mut Command)) -> Run {
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.root.join("home"))
            .env("TMPDIR", self.root.join("tmp"))
            .current_dir(self.root.join("project"))
            .timeout(LIMIT);
        prepare(&mut command);
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| {
            String::from_utf8(bytes).expect("output is UTF-8").replace(self.root_text(), "[DIR]")
        };
        Run {
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            code: output.status.code().expect("the run ended by itself, within its time"),
        }
    }

    /// Runs `skills validate --format json` and parses the output.
    pub(crate) fn json<I: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = I>) -> Value {
        let mut all = vec![OsStr::new("validate").to_owned()];
        all.extend(["--format", "json"].map(|word| OsStr::new(word).to_owned()));
        all.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self.document(all)
    }

    /// Runs a command that prints JSON and parses the output.
    pub(crate) fn document<I: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = I>) -> Value {
        let run = self.run(args);
        serde_json::from_str(&run.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}{}", run.stdout, run.stderr))
    }

    /// The ids of all rules that fire, in the order of the report.
    pub(crate) fn rules_fired<I: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = I>,
    ) -> Vec<String> {
        rule_ids(&self.json(args))
    }

    /// The path of the sandbox, as text.
    pub(crate) fn root_text(&self) -> &str {
        self.root.to_str().unwrap()
    }
}

#[cfg(unix)]
impl Drop for Sandbox {
    /// Opens read-only directories, so that the sandbox can be removed without root.
    fn drop(&mut self) {
        if fs::remove_dir_all(&self.root).is_err() {
            unseal(&self.root);
        }
    }
}

/// Opens every directory to its owner.
#[cfg(unix)]
fn unseal(directory: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let _ = fs::set_permissions(directory, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            unseal(&entry.path());
        }
    }
}

impl Run {
    /// Both streams.
    pub(crate) fn all(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }
}

/// The text of a `SKILL.md` that has no findings.
pub(crate) fn good_text(name: &str) -> String {
    text(name, "")
}

/// A good `SKILL.md` with more lines in its front matter.
pub(crate) fn text(name: &str, more: &str) -> String {
    format!("---\nname: {name}\ndescription: {DESCRIPTION}\n{more}---\n\n# Title\n\nRun it.\n")
}

/// Bytes that do not get smaller when they are compressed, others for every seed.
pub(crate) fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_be_bytes()[0]
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// The rule of every finding of a JSON report.
pub(crate) fn rule_ids(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap_or_else(|| panic!("{report:#}"));
    findings.iter().map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
}

/// The committed fixtures.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Restores signals that the parent of the tests ignores, as `nohup` and a shell's `&` do. Children
/// inherit ignored signals, but not handled ones. Tests about ignored signals ignore them
/// themselves.
#[cfg(unix)]
fn hear_signals() {
    use std::sync::{Arc, Once};
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
        for signal in [1, 2, 3, 15] {
            // If these signals arrive, they end the tests, as they should.
            if ignored.is_some_and(|set| set & (1 << (signal - 1)) != 0) {
                signal_hook::flag::register(signal, Arc::default()).unwrap();
            }
        }
    });
}

/// The ids of all rules.
pub(crate) fn rules() -> Vec<String> {
    static RULES: LazyLock<Value> =
        LazyLock::new(|| Sandbox::new().document(["rules", "--format", "json"]));
    let rules = RULES["rules"].as_array().unwrap();
    rules.iter().map(|rule| rule["id"].as_str().unwrap().to_owned()).collect()
}

/// The text of `--help` of each command.
static HELP: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let sandbox = Sandbox::new();
    let help = |args: &[&str]| {
        let wide = |command: &mut Command| _ = command.env("COLUMNS", "100");
        sandbox.run_with(args, wide).stdout
    };
    let all = help(&["--help"]);
    let (_, commands) = all.split_once("<COMMAND>\n").unwrap();
    let (commands, _) = commands.split_once("\nOptions:\n").unwrap();
    let names = commands.lines().filter(|line| !line.starts_with("   ") && line.starts_with("  "));
    let names =
        names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names.map(|name| (name.to_owned(), help(&[name, "--help"]))).collect()
});

/// The names of all commands.
pub(crate) fn verbs() -> Vec<String> {
    HELP.iter().map(|(verb, _)| verb.clone()).collect()
}

/// The text of `--help` of a command.
pub(crate) fn help(verb: &str) -> &'static str {
    let found = HELP.iter().find(|(name, _)| name == verb);
    &found.unwrap_or_else(|| panic!("no command {verb}")).1
}

/// The long flags of a command, and their other names.
pub(crate) fn flags(verb: &str) -> Vec<String> {
    let spec = |line: &&str| line.trim_start().starts_with(['-', '[']);
    let words = help(verb).lines().filter(spec).flat_map(|line| line.split([' ', ',', ']', '[']));
    let flags = words.filter_map(|word| word.strip_prefix("--"));
    flags.map(|flag| flag.trim_end_matches('.').to_owned()).collect()
}

/// The values of `--format` of a command; none if it has no such flag.
pub(crate) fn formats(verb: &str) -> Vec<String> {
    let Some((_, rest)) = help(verb).split_once("--format <") else { return Vec::new() };
    let rest = rest.split("\n      --").next().unwrap();
    match rest.split_once("[possible values: ") {
        Some((_, values)) => {
            values.trim_end().trim_end_matches(']').split(", ").map(str::to_owned).collect()
        }
        None => {
            let values = rest.lines().filter_map(|line| line.trim().strip_prefix("- "));
            values.map(|line| line.split(':').next().unwrap().to_owned()).collect()
        }
    }
}

/// The bytes behind base64.
pub(crate) fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |byte: u8| DIGITS.iter().position(|one| *one == byte).unwrap() as u32;
    let whole = text.trim_end_matches('=').as_bytes();
    let decode = |group: &[u8]| {
        let bits = group.iter().fold(0, |bits, byte| bits << 6 | digit(*byte));
        let bits = bits << (6 * (4 - group.len()));
        bits.to_be_bytes()[1..group.len()].to_vec()
    };
    whole.chunks(4).flat_map(decode).collect()
}
