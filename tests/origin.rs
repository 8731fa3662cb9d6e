//! Local git repositories to fetch from.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::harness::{Sandbox, good_text, lacks};

/// A repository beside the work directory.
pub(crate) struct Origin {
    pub(crate) path: PathBuf,
    home: PathBuf,
}

impl Origin {
    /// An empty repository; none on a machine without git.
    #[track_caller]
    pub(crate) fn empty(sandbox: &Sandbox, name: &str) -> Option<Self> {
        Self::with_format(sandbox, name, "sha1")
    }

    #[track_caller]
    pub(crate) fn with_format(sandbox: &Sandbox, name: &str, format: &str) -> Option<Self> {
        if lacks(&["git"]) {
            return None;
        }
        let path = sandbox.mkdir(format!("../{name}")).canonicalize().unwrap();
        let origin = Self { path, home: sandbox.path("../home") };
        origin.git(&["init", "--quiet", "-b", "main", "--object-format", format, "."]);
        Some(origin)
    }

    /// A repository with the skills `pdf`, which has a script, and `csv`; its commit is `v1`.
    #[track_caller]
    pub(crate) fn new(sandbox: &Sandbox) -> Option<Self> {
        let origin = Self::empty(sandbox, "origin")?;
        origin.skill("skills/pdf");
        origin.write("skills/pdf/scripts/run.sh", "#!/bin/sh\necho hi\n");
        #[cfg(unix)]
        sandbox.chmod("../origin/skills/pdf/scripts/run.sh", 0o755);
        origin.skill("skills/csv");
        origin.write("docs/guide.md", "# Guide\n");
        origin.commit("Begin");
        origin.git(&["tag", "v1"]);
        Some(origin)
    }

    /// This path and revision of it, as a source.
    pub(crate) fn source(&self, rest: &str) -> String {
        format!("git+file://{}{rest}", self.path.display())
    }

    pub(crate) fn write(&self, relative: &str, text: impl AsRef<[u8]>) {
        let path = self.path.join(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn skill(&self, directory: &str) {
        let text = good_text(directory.rsplit('/').next().unwrap());
        self.write(&format!("{directory}/SKILL.md"), text);
    }

    /// Commits everything; returns the commit id.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "."]);
        self.git(&["commit", "--quiet", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Runs git there, and returns its output.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        self.git_with(arguments, b"")
    }

    pub(crate) fn git_with(&self, arguments: &[&str], input: &[u8]) -> String {
        use std::io::Write as _;
        let mut child = Command::new("git")
            .args(arguments)
            .current_dir(&self.path)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &self.home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "Ann")))
            .envs(
                ["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "ann@example.com")),
            )
            .envs(
                ["AUTHOR", "COMMITTER"]
                    .map(|who| (format!("GIT_{who}_DATE"), "2026-01-02T03:04:05Z")),
            )
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "git {arguments:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

/// Runs the binary with a `git` that is this shell script, in which `git` is the real one.
#[cfg(unix)]
pub(crate) fn run_with_git(sandbox: &Sandbox, script: &str, args: &[&str]) -> crate::harness::Run {
    sandbox.program("../home/bin/git", format!("#!/bin/sh\nPATH=${{PATH#*:}}\n{script}\n"));
    let own = sandbox.path("../home/bin").canonicalize().unwrap();
    let path = format!("{}:{}", own.display(), std::env::var("PATH").unwrap());
    sandbox.run_with(args, |command| {
        command.env("PATH", path).env("SKILLS_GIT_TIMEOUT", "20");
    })
}
