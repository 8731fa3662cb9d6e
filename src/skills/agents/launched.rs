//! Which agents a command line runs, also through other programs: `timeout 5 env X=1 npx -y PACKAGE`.

use std::ffi::OsString;
use std::path::Path;

use crate::skills::agents::{AGENTS, Agent, observed};
use crate::skills::model::environment::is_variable_name;
use crate::skills::model::error::{Result, err};
use crate::skills::text::shell::{is_plain, simple_commands};

/// What a command line does, as far as that can be told without running it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// The agents that it runs, in its order; none if it only runs other programs.
    pub agents: Vec<Launched>,
    /// The variables that it sets or removes, and the program that does.
    pub variables: Vec<(String, String)>,
    /// Why an agent may start otherwise than the words say.
    pub hidden: Option<String>,
}

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
    /// The only options that leave directory, variables and arguments of the agent alone; all do if
    /// there is no such list. Of a shell these are the long ones.
    harmless: Option<&'static [&'static str]>,
    /// Whether its options set and remove variables, as those of `env` do.
    sets_variables: bool,
    /// Whether the command gets more arguments from standard input.
    reads_arguments: bool,
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
    harmless: None,
    sets_variables: false,
    reads_arguments: false,
    operands: 0,
    runs: Runs::Program,
    alone: false,
};

const NPX: Launcher = Launcher {
    names: &["npx"],
    values: &["-p", "--package", "-w", "--workspace", "--prefix", "--registry", "--cache"],
    scripts: &["-c", "--call"],
    harmless: Some(&[
        "-y",
        "--yes",
        "-p",
        "--package",
        "-q",
        "--quiet",
        "--silent",
        "--no-install",
        "--bun",
    ]),
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
    harmless: Some(&["--login", "--noprofile", "--norc", "--posix", "--no-config"]),
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
        harmless: Some(&["-u", "--unset"]),
        sets_variables: true,
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
        reads_arguments: true,
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
    Launcher { names: &["exec"], values: &["-a"], harmless: Some(&["-a"]), alone: true, ..PROGRAM },
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

/// Reads a command line.
pub fn launched(command: &[OsString]) -> Result<CommandLine> {
    let words: Vec<String> = command.iter().map(|word| word.to_string_lossy().into()).collect();
    let mut line = CommandLine::default();
    line.follow(&words, false, 0)?;
    Ok(line)
}

impl CommandLine {
    /// Follows a command line, in which a package can take the place of a program.
    fn follow(&mut self, words: &[String], packages: bool, depth: usize) -> Result<()> {
        let Some((program, rest)) = words.split_first() else { return Ok(()) };
        let agent = if packages { by_package(program) } else { by_program(program) };
        if let Some(agent) = agent {
            self.agents.push(Launched { agent, arguments: rest.to_vec() });
            return Ok(());
        }
        let Some((launcher, before, rest)) = launcher(program, rest) else { return Ok(()) };
        let is_script = launcher.runs == Runs::Script;
        before.iter().for_each(|word| self.judge_option(program, launcher, word, None));
        if launcher.reads_arguments {
            self.hide(format!("`{program}` takes arguments from its input"));
        }
        let (mut at, mut named) = (0, Vec::<&str>::new());
        let (mut operands, mut options, mut has_script) = (launcher.operands, true, false);
        while let Some(word) = rest.get(at) {
            if options && word == "--" {
                options = false;
            } else if options && word.starts_with('-') {
                let next = rest.get(at + 1);
                self.judge_option(program, launcher, word, next);
                if let Some((script, _)) = value(launcher.scripts, word, next) {
                    if named.iter().all(|package| by_package(package).is_some()) {
                        self.follow_script(program, script, &[], depth);
                    }
                    return Ok(());
                }
                has_script |= !word.starts_with("--") && word.contains('c');
                let value = value(launcher.values, word, next);
                if word.starts_with("-p") || word.starts_with("--package") {
                    named.extend(value.map(|(package, _)| package));
                }
                at += usize::from(value.is_some_and(|(_, is_next)| is_next));
            } else if operands > 0 {
                operands -= 1;
            } else if is_script || !is_assignment(word) {
                break;
            } else {
                let name = word.split('=').next().unwrap_or_default();
                self.variables.push((program.clone(), name.to_owned()));
            }
            at += 1;
        }
        let command = rest.get(at..).unwrap_or_default();
        match command {
            [] if launcher.alone && !(is_script && has_script) => {}
            [] if rest.iter().any(|word| word == "--help" || word == "--version") => {}
            [] => {
                let error = err!(Usage, "`{program}` has no command to run");
                return Err(error.help("put the command of the agent after it"));
            }
            [script, positional @ ..] if is_script && has_script => {
                // `fish` takes options there.
                if positional.iter().any(|word| word.starts_with('-')) {
                    self.hide(format!("`{program}` has options after its script"));
                }
                let positional = positional.get(1..).unwrap_or_default();
                self.follow_script(program, script, positional, depth);
            }
            _ if is_script => {}
            // The programs of packages that are named are called as they like.
            _ if launcher.runs == Runs::Package && !named.is_empty() => {
                if named.iter().all(|package| by_package(package).is_some()) {
                    return self.follow(command, false, depth);
                }
            }
            _ => return self.follow(command, launcher.runs == Runs::Package, depth),
        }
        Ok(())
    }

    /// Notes what an option of a launcher does to the agent.
    fn judge_option(
        &mut self,
        program: &str,
        launcher: &Launcher,
        word: &str,
        next: Option<&String>,
    ) {
        let Some(harmless) = launcher.harmless else { return };
        if launcher.sets_variables {
            if ["-", "-i", "--ignore-environment"].contains(&word) {
                return self.variables.push((program.to_owned(), "HOME".to_owned()));
            }
            let variable = value(harmless, word, next).map(|(name, _)| name.to_owned());
            self.variables.extend(variable.map(|name| (program.to_owned(), name)));
        }
        let is_harmless = |option: &&str| match word.strip_prefix(option) {
            Some(rest) => rest.is_empty() || rest.starts_with('=') || !option.starts_with("--"),
            None => false,
        };
        // The scripts of other programs are read.
        let is_script = !launcher.sets_variables && value(launcher.scripts, word, None).is_some();
        let is_short = launcher.runs == Runs::Script && !word.starts_with("--");
        if !is_short && !is_script && !harmless.iter().any(is_harmless) {
            let option = word.split('=').next().unwrap_or_default();
            self.hide(format!("`{program} {option}` can change what is started, and where"));
        }
    }

    /// The first reason is enough.
    fn hide(&mut self, why: String) {
        self.hidden.get_or_insert(why);
    }

    /// Follows the commands of a shell script that is called with these arguments. What is wrong with
    /// them is the concern of its shell.
    fn follow_script(&mut self, program: &str, script: &str, positional: &[String], depth: usize) {
        if !is_plain(script) || depth == MAX_DEPTH {
            self.hide(format!("the text for `{program}` is more than one plain command"));
        }
        if depth == MAX_DEPTH {
            return;
        }
        for words in simple_commands(script) {
            let is_before =
                |word: &&String| RESERVED.contains(&word.as_str()) || is_assignment(word);
            let before = words.iter().take_while(is_before).count();
            if before > 0 {
                self.hide(format!("the text for `{program}` is more than one plain command"));
            }
            let expand = |word: &String| match word.as_str() {
                "$@" | "$*" => positional.to_vec(),
                _ => vec![word.clone()],
            };
            let words: Vec<String> = words[before..].iter().flat_map(expand).collect();
            let _ = self.follow(&words, false, depth + 1);
        }
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

/// The agent in a package, such as `@scope/name@1.2.3`. Anybody may have a package with the name of
/// a program, and what follows the second `@` may be another package.
fn by_package(package: &str) -> Option<&'static Agent> {
    let at = package.get(1..).and_then(|rest| rest.find('@')).map(|at| at + 1);
    let (name, version) = package.split_at(at.unwrap_or(package.len()));
    let is_version = !version.contains([':', '/']);
    AGENTS.iter().find(|agent| is_version && agent.packages.contains(&name))
}

/// The launcher of this name, the options before its subcommand, and what follows.
fn launcher<'a>(
    program: &str,
    rest: &'a [String],
) -> Option<(&'static Launcher, &'a [String], &'a [String])> {
    let name = Path::new(program).file_name()?.to_str()?;
    let name = [".exe", ".cmd"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    let launcher = LAUNCHERS.iter().find(|launcher| launcher.names.contains(&name))?;
    if launcher.subcommands.is_empty() {
        return Some((launcher, &[], rest));
    }
    let at = rest.iter().position(|word| !word.starts_with('-'))?;
    launcher
        .subcommands
        .contains(&rest[at].as_str())
        .then(|| (launcher, &rest[..at], &rest[at + 1..]))
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
        let found = launched(&words).unwrap().agents;
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
            ("npx codex", ""),
            ("npx -y claude@1", ""),
            ("npx @openai/codex@npm:other", ""),
            ("npx @openai/codex@file:../x", ""),
            ("npx -p other codex", ""),
            ("npx -p @openai/codex --package=other codex", ""),
            ("npx -p other -c codex", ""),
            ("pnpm exec codex", ""),
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
            let found = launched(&words.map(OsString::from)).unwrap().agents;
            let each =
                found.iter().map(|one| format!("{}:{}", one.agent.id, one.arguments.join(",")));
            assert_eq!(each.collect::<Vec<_>>().join(" "), expected, "{script}");
        }
    }

    #[test]
    fn what_changes_an_agent_or_hides_it_is_noted() {
        let read = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            launched(&words).unwrap()
        };
        for (words, names) in [
            (&["codex"][..], &[][..]),
            (&["env", "HOME=/x", "codex"], &["HOME"]),
            (&["timeout", "5", "env", "-u", "HOME", "X=1", "codex"], &["HOME", "X"]),
            (&["env", "-uCODEX_HOME", "--unset=HOME", "codex"], &["CODEX_HOME", "HOME"]),
            (&["env", "-i", "codex"], &["HOME"]),
            (&["env", "-", "codex"], &["HOME"]),
            (&["env", "--ignore-environment", "codex"], &["HOME"]),
            (&["sh", "-c", "env HOME=/x codex"], &["HOME"]),
        ] {
            let line = read(words);
            let found: Vec<&str> = line.variables.iter().map(|(_, name)| name.as_str()).collect();
            assert_eq!((line.agents.len(), &found[..]), (1, names), "{words:?}");
            assert_eq!(line.hidden, None, "{words:?}");
        }
        for words in [
            &["env", "-S", "codex exec", "--yolo"][..],
            &["env", "-iu", "X", "codex"],
            &["env", "--ignore-env", "codex"],
            &["env", "--unse=HOME", "codex"],
            &["env", "-C", "sub", "codex"],
            &["env", "--chdir=sub", "codex"],
            &["xargs", "codex"],
            &["npx", "--prefix=x", "@openai/codex"],
            &["npm", "-Cx", "exec", "@openai/codex"],
            &["pnpm", "--dir=x", "dlx", "@openai/codex"],
            &["bash", "--rcfile", "x", "-ic", "codex"],
            &["fish", "-c", "codex", "-C", "function codex; end"],
            &["sh", "-c", "codex $1", "sh", "--yolo"],
            &["sh", "-c", "HOME=/tmp codex"],
            &["sh", "-c", "exec -c codex"],
            &["sh", "-c", "sh -c 'codex $X'"],
            &["flock", "lock", "-c", "cd x; codex"],
        ] {
            let line = read(words);
            assert_eq!(line.agents.len(), 1, "{words:?}");
            assert!(line.hidden.is_some(), "{words:?}");
        }
        for words in [
            &["sh", "-lc", "exec codex exec 'a $5 b' >log 2>&1"][..],
            &["timeout", "-k", "3", "5", "nice", "codex"],
            &["npx", "-y", "@openai/codex@1.2.3", "exec"],
            &["bash", "--norc", "-ec", "codex exec", "x"],
        ] {
            assert_eq!(read(words).hidden, None, "{words:?}");
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
