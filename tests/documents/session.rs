//! A shell session in a directory that looks like a clone of this repository.

use std::fmt::Write as _;
use std::fs;

use crate::harness::Sandbox;

/// The result of a command.
pub(crate) struct Ran {
    /// Both streams, in the order of printing; paths start at the sandbox.
    pub(crate) output: String,
    /// The exit code; none if the session ended before.
    pub(crate) code: Option<i32>,
}

/// Runs commands in one shell, with these variables.
pub(crate) fn run(commands: &[&str], variables: &[(&str, &str)]) -> Vec<Ran> {
    if commands.is_empty() {
        return Vec::new();
    }
    let sandbox = clone();
    sandbox.shell(&script(commands, variables));
    let read = |number: usize, what: &str| {
        let path = sandbox.path(format!("../transcript/{number}.{what}"));
        let bytes = fs::read(path).unwrap_or_default();
        String::from_utf8(bytes).expect("output is UTF-8").replace(sandbox.root_text(), "")
    };
    let ran = |number| Ran {
        output: read(number, "output"),
        code: read(number, "code").trim().parse().ok(),
    };
    (0..commands.len()).map(ran).collect()
}

/// A sandbox whose work directory looks like a clone of this repository.
fn clone() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.copy_from_repository("fixtures");
    sandbox.mkdir("../transcript");
    sandbox.symlink(env!("CARGO_BIN_EXE_skills"), "../bin/skills");
    sandbox
}

/// One shell for all commands, so that variables and directories last; `$?` is that of the command
/// before, and both streams of each command go to a file of its own.
fn script(commands: &[&str], variables: &[(&str, &str)]) -> String {
    let mut script = "PATH=$HOME/../bin:$PATH; transcript=$HOME/../transcript; code=0\n\
         export http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9\n"
        .to_owned();
    for (name, value) in variables {
        writeln!(script, "export {name}='{value}'").unwrap();
    }
    for (number, command) in commands.iter().enumerate() {
        let output = format!("\"$transcript\"/{number}");
        writeln!(script, "(exit $code)\n{{\n{command}\n}} >{output}.output 2>&1").unwrap();
        writeln!(script, "code=$?; echo $code >{output}.code").unwrap();
    }
    script
}
