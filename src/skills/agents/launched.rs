//! Which agents a command line runs, also through other programs: `timeout 5 env X=1 npx -y PACKAGE`.

use std::ffi::OsString;
use std::path::Path;

use super::{AGENTS, Agent, observed};
use crate::skills::model::environment::is_variable_name;
use crate::skills::model::error::{Result, err};
use crate::skills::text::simple_commands::simple_commands;

/// An agent that a command line runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launched {
    pub agent: &'static Agent,
    /// What it is called with, as far as that can be told without running the command: `$X` and
    /// `$(cat x)` in a shell script stay as they are.
    pub arguments: Vec<String>,
}

/// A program that runs another one.
struct Launcher {
    names: &'static [&'static str],
    /// The subcommands that run another program; none if it always does.
    subcommands: &'static [&'static str],
    /// Options with a value.
    values: &'static [&'static str],
    /// Options whose value is a shell script.
    scripts: &'static [&'static str],
    /// Operands before the command.
    operands: usize,
    /// What the command is.
    runs: Runs,
    /// Whether it does something without a command.
    alone: bool,
}

#[derive(PartialEq, Eq)]
enum Runs {
    Program,
    /// A program, or a package of a registry.
    Package,
    /// A script, if there is an option `-c`.
    Script,
}

const PROGRAM: Launcher = Launcher {
    names: &[],
    subcommands: &[],
    values: &[],
    scripts: &[],
    operands: 0,
    runs: Runs::Program,
    alone: false,
};
const NPX: Launcher = Launcher {
    names: &["npx"],
    values: &["-p", "--package", "-w", "--workspace", "--prefix", "--registry", "--cache"],
    scripts: &["-c", "--call"],
    runs: Runs::Package,
    alone: true,
    ..PROGRAM
};
const PNPX: Launcher =
    Launcher { names: &["pnpx"], values: &["--package", "-C", "--dir"], scripts: &[], ..NPX };
const BUNX: Launcher =
    Launcher { names: &["bunx"], values: &["-p", "--package"], scripts: &[], ..NPX };
const SHELL: Launcher = Launcher {
    names: &["sh", "bash", "dash", "zsh", "ksh", "fish"],
    values: &["-o", "-O", "--rcfile", "--init-file"],
    runs: Runs::Script,
    alone: true,
    ..PROGRAM
};

/// What is not in this table runs nothing that is known: `sudo`, for example, runs the agent in
/// another home.
const LAUNCHERS: [Launcher; 23] = [
    Launcher {
        names: &["timeout", "gtimeout"],
        values: &["-k", "--kill-after", "-s", "--signal"],
        operands: 1,
        ..PROGRAM
    },
    Launcher {
        names: &["env"],
        values: &["-u", "--unset", "-C", "--chdir", "-P"],
        scripts: &["-S", "--split-string"],
        alone: true,
        ..PROGRAM
    },
    Launcher { names: &["nice"], values: &["-n", "--adjustment"], alone: true, ..PROGRAM },
    Launcher {
        names: &["ionice"],
        values: &["-c", "--class", "-n", "--classdata", "-p", "--pid"],
        alone: true,
        ..PROGRAM
    },
    Launcher { names: &["nohup"], ..PROGRAM },
    Launcher { names: &["setsid"], ..PROGRAM },
    Launcher {
        names: &["stdbuf"],
        values: &["-i", "--input", "-o", "--output", "-e", "--error"],
        ..PROGRAM
    },
    Launcher { names: &["unbuffer"], ..PROGRAM },
    Launcher { names: &["chronic"], ..PROGRAM },
    Launcher { names: &["caffeinate"], values: &["-t", "-w"], alone: true, ..PROGRAM },
    Launcher { names: &["time"], values: &["-f", "--format", "-o", "--output"], ..PROGRAM },
    Launcher {
        names: &["flock"],
        values: &["-w", "--wait", "--timeout", "-E", "--conflict-exit-code"],
        scripts: &["-c", "--command"],
        operands: 1,
        alone: true,
        ..PROGRAM
    },
    Launcher {
        names: &["xargs"],
        values: &[
            "-I",
            "-n",
            "--max-args",
            "-d",
            "--delimiter",
            "-P",
            "--max-procs",
            "-L",
            "-s",
            "--max-chars",
            "-a",
            "--arg-file",
            "-E",
            "-J",
            "-R",
        ],
        alone: true,
        ..PROGRAM
    },
    Launcher { names: &["exec"], values: &["-a"], alone: true, ..PROGRAM },
    Launcher { names: &["command"], alone: true, ..PROGRAM },
    SHELL,
    NPX,
    Launcher { names: &["npm"], subcommands: &["exec", "x"], ..NPX },
    PNPX,
    Launcher { names: &["pnpm"], subcommands: &["dlx", "exec"], ..PNPX },
    BUNX,
    Launcher { names: &["bun"], subcommands: &["x"], ..BUNX },
    Launcher { names: &["yarn"], subcommands: &["dlx", "exec"], ..BUNX },
];

/// Words of a shell before a command.
const RESERVED: [&str; 10] =
    ["if", "then", "elif", "else", "while", "until", "do", "!", "{", "coproc"];

/// Scripts within scripts that are followed.
const MAX_DEPTH: usize = 16;

/// The agents that a command line runs, in its order; none if it only runs other programs.
pub fn launched(command: &[OsString]) -> Result<Vec<Launched>> {
    let words: Vec<String> = command.iter().map(|word| word.to_string_lossy().into()).collect();
    let mut found = Vec::new();
    follow(&words, false, 0, &mut found)?;
    Ok(found)
}

/// Follows a command line, in which a package can take the place of a program.
fn follow(words: &[String], packages: bool, depth: usize, found: &mut Vec<Launched>) -> Result<()> {
    let Some((program, rest)) = words.split_first() else { return Ok(()) };
    let agent = if packages { by_package(program) } else { by_program(program) };
    if let Some(agent) = agent {
        found.push(Launched { agent, arguments: rest.to_vec() });
        return Ok(());
    }
    let Some((launcher, rest)) = launcher(program, rest) else { return Ok(()) };
    let mut at = 0;
    let (mut operands, mut options, mut has_script) = (launcher.operands, true, false);
    while let Some(word) = rest.get(at) {
        if options && word == "--" {
            options = false;
        } else if options && word.starts_with('-') {
            if let Some((script, _)) = value(launcher.scripts, word, rest.get(at + 1)) {
                follow_script(script, &[], depth, found);
                return Ok(());
            }
            has_script |= !word.starts_with("--") && word.contains('c');
            let value = value(launcher.values, word, rest.get(at + 1));
            at += usize::from(value.is_some_and(|(_, is_next)| is_next));
        } else if operands > 0 {
            operands -= 1;
        } else if launcher.runs == Runs::Script || !is_assignment(word) {
            break;
        }
        at += 1;
    }
    let command = rest.get(at..).unwrap_or_default();
    let is_script = launcher.runs == Runs::Script;
    match command {
        [] if launcher.alone && !(is_script && has_script) => {}
        [] if rest.iter().any(|word| word == "--help" || word == "--version") => {}
        [] => {
            let error = err!(Usage, "`{program}` has no command to run");
            return Err(error.help("put the command of the agent after it"));
        }
        [script, positional @ ..] if is_script && has_script => {
            follow_script(script, positional.get(1..).unwrap_or_default(), depth, found);
        }
        _ if is_script => {}
        _ => return follow(command, launcher.runs == Runs::Package, depth, found),
    }
    Ok(())
}

/// Follows the commands of a shell script that is called with these arguments. What is wrong with
/// them is the concern of its shell.
fn follow_script(script: &str, positional: &[String], depth: usize, found: &mut Vec<Launched>) {
    if depth == MAX_DEPTH {
        return;
    }
    for words in simple_commands(script) {
        let is_before = |word: &&String| RESERVED.contains(&word.as_str()) || is_assignment(word);
        let before = words.iter().take_while(is_before).count();
        let expand = |word: &String| match word.as_str() {
            "$@" | "$*" => positional.to_vec(),
            _ => vec![word.clone()],
        };
        let words: Vec<String> = words[before..].iter().flat_map(expand).collect();
        let _ = follow(&words, false, depth + 1, found);
    }
}

/// The value of an option that is one of these, and whether it is the next word.
fn value<'a>(options: &[&str], word: &'a str, next: Option<&'a String>) -> Option<(&'a str, bool)> {
    let attached = if word.starts_with("--") {
        let (name, attached) = word.split_once('=').unzip();
        options.contains(&name.unwrap_or(word)).then_some(attached)?
    } else {
        // `-vk5`, `-vk 5`
        let is_letter =
            |letter| options.iter().any(|option| option.strip_prefix('-') == Some(letter));
        let mut ends = word.char_indices().skip(1).map(|(at, one)| (at, at + one.len_utf8()));
        let (_, end) = ends.find(|(at, end)| is_letter(&word[*at..*end]))?;
        Some(&word[end..]).filter(|attached| !attached.is_empty())
    };
    let next = next.map_or("", String::as_str);
    Some(attached.map_or((next, true), |attached| (attached, false)))
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name.trim_end_matches('+'));
    is_variable_name(name)
}

fn by_program(program: &str) -> Option<&'static Agent> {
    observed(&Path::new(program).file_stem()?.to_string_lossy())
}

/// The agent in a package, such as `@scope/name@1.2.3`.
fn by_package(package: &str) -> Option<&'static Agent> {
    let name = match package.rfind('@') {
        Some(at) if at > 0 => &package[..at],
        _ => package,
    };
    AGENTS.iter().find(|agent| agent.packages.contains(&name)).or_else(|| observed(name))
}

/// The launcher of this name, and what it is called with.
fn launcher<'a>(program: &str, rest: &'a [String]) -> Option<(&'static Launcher, &'a [String])> {
    let name = Path::new(program).file_name()?.to_str()?;
    let name = [".exe", ".cmd"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    let launcher = LAUNCHERS.iter().find(|launcher| launcher.names.contains(&name))?;
    if launcher.subcommands.is_empty() {
        return Some((launcher, rest));
    }
    let at = rest.iter().position(|word| !word.starts_with('-'))?;
    launcher.subcommands.contains(&rest[at].as_str()).then(|| (launcher, &rest[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a line of words runs: ids and arguments. A word in brackets has blanks.
    fn runs(line: &str) -> String {
        let mut words: Vec<OsString> = Vec::new();
        let mut open = false;
        for word in line.split(' ') {
            let text = word.trim_start_matches('[').trim_end_matches(']');
            match words.last_mut() {
                Some(last) if open => last.push(format!(" {text}")),
                _ => words.push(text.into()),
            }
            open = (open || word.starts_with('[')) && !word.ends_with(']');
        }
        let found = launched(&words).unwrap();
        let each = found.iter().map(|one| format!("{}:{}", one.agent.id, one.arguments.join(",")));
        each.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_agent_is_what_is_started_in_the_end() {
        for (line, expected) in [
            ("/usr/bin/codex exec x", "codex:exec,x"),
            ("claude.exe", "claude:"),
            ("python3 codex", ""),
            ("./wrapper codex", ""),
            ("timeout 5 codex exec", "codex:exec"),
            ("/usr/bin/timeout -k 3 --signal=KILL 5s codex", "codex:"),
            ("timeout --signal KILL -v -k3 5 codex -k 2", "codex:-k,2"),
            ("env -i -u HOME X=1 Y= codex", "codex:"),
            ("env - PATH=/bin codex", "codex:"),
            ("env -uHOME -C /tmp -- X=1 codex", "codex:"),
            ("env -S [X=1 codex exec]", "codex:exec"),
            ("env [--split-string=codex exec]", "codex:exec"),
            ("env", ""),
            ("env X=1", ""),
            ("nice codex", "codex:"),
            ("nice -n 5 nohup setsid -f stdbuf -oL -e 0 codex", "codex:"),
            ("nice -5 codex", "codex:"),
            ("time -f %e -o log gemini -p x", "gemini:-p,x"),
            ("xargs -0 -I{} -P 4 codex exec {}", "codex:exec,{}"),
            ("flock -n lock codex", "codex:"),
            ("flock lock -c [exec codex exec x]", "codex:exec,x"),
            ("sudo codex", ""),
            ("sudo -u codex claude", ""),
            ("npx codex", "codex:"),
            ("npx -y @openai/codex exec", "codex:exec"),
            ("npx --yes @openai/codex@0.169.0 exec", "codex:exec"),
            ("npx -y -- @google/gemini-cli@latest", "gemini:"),
            ("npx -p @openai/codex codex exec", "codex:exec"),
            ("npx --package=@openai/codex -c [codex exec x]", "codex:exec,x"),
            ("npx @other/codex", ""),
            ("npm exec -- @anthropic-ai/claude-code -p hi", "claude:-p,hi"),
            ("npm --silent x opencode-ai@1", "opencode:"),
            ("npm run codex", ""),
            ("pnpm dlx @github/copilot -p x", "copilot:-p,x"),
            ("yarn dlx -q @earendil-works/pi-coding-agent", "pi:"),
            ("bunx --bun @mariozechner/pi-coding-agent", "pi:"),
            ("timeout 5 env X=1 npx -y @openai/codex exec", "codex:exec"),
            ("timeout --help", ""),
            ("npx", ""),
            ("bash", ""),
            ("bash codex.sh", ""),
            ("bash -x codex", ""),
        ] {
            assert_eq!(runs(line), expected, "{line}");
        }
    }

    #[test]
    fn scripts_of_a_shell_run_what_their_commands_are() {
        for (script, expected) in [
            ("codex exec x", "codex:exec,x"),
            ("exec codex exec 'a b' \"c d\" e\\ f", "codex:exec,a b,c d,e f"),
            ("X=1 Y='2 3' codex", "codex:"),
            ("X=1 codex", "codex:"),
            ("cd a && timeout 5 codex exec; echo claude", "codex:exec"),
            ("cat x | claude -p 2>&1 >log --verbose", "claude:-p,--verbose"),
            ("claude -p &>log --verbose", "claude:-p,--verbose"),
            ("codex exec x; claude -p y", "codex:exec,x claude:-p,y"),
            (
                "claude -p \"$(cat x) Lint \\\"this\\\".\" --last",
                "claude:-p,$ Lint \"this\".,--last",
            ),
            ("echo \"$(codex exec `claude`)\" gemini", "claude: codex:exec,`"),
            ("for i in 1 2; do if true; then codex $i; fi; done", "codex:$i"),
            ("run() { codex \"$@\"; }; (gemini) & run", "codex:a,b gemini:"),
            ("exec codex $@ # claude", "codex:a,b"),
            ("diff <(codex exec) claude", "codex:exec"),
            ("claude -p <<E --last\ncodex exec\nE\n", "claude:-p,--last"),
            ("pi <<< claude", "pi:"),
            ("sh -c 'sh -c \"codex exec\"'", "codex:exec"),
            ("echo 'codex'; $codex; ls; timeout 5", ""),
            ("codex\n\nclaude", "codex: claude:"),
            ("codex 'never closed", "codex:never closed"),
            ("", ""),
        ] {
            let words = ["bash", "-e", "-uo", "pipefail", "-lc", script, "sh", "a", "b"];
            let found = launched(&words.map(OsString::from)).unwrap();
            let each =
                found.iter().map(|one| format!("{}:{}", one.agent.id, one.arguments.join(",")));
            assert_eq!(each.collect::<Vec<_>>().join(" "), expected, "{script}");
        }
    }

    #[test]
    fn a_launcher_without_a_command_is_an_error() {
        for line in ["timeout 5", "timeout", "nohup", "stdbuf -oL", "sh -c", "nice timeout -k 3 5"]
        {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let error = launched(&words).unwrap_err();
            assert!(error.message.ends_with("has no command to run"), "{}", error.message);
        }
    }
}
