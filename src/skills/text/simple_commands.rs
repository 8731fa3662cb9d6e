//! Splits a shell script into its simple commands.

use std::iter::Peekable;
use std::mem;
use std::str::Chars;

/// Substitutions within substitutions that are read.
const MAX_DEPTH: usize = 16;

/// The words of each simple command of a script, as far as that is possible without running it:
/// quotes and redirections are gone, reserved words and assignments stay, and of `a$(b)` there are
/// the commands `b` and `a$`.
pub fn simple_commands(script: &str) -> Vec<Vec<String>> {
    ScriptReader::read(script).commands
}

/// Whether every shell runs the words of a script as they stand: there is one command, and nothing
/// in it that a shell replaces, repeats or defines.
pub fn is_plain(script: &str) -> bool {
    ScriptReader::read(script.trim()).is_plain
}

struct ScriptReader<'a> {
    text: Peekable<Chars<'a>>,
    commands: Vec<Vec<String>>,
    is_plain: bool,
}

/// The simple command that is being read.
#[derive(Default)]
struct PartialCommand {
    words: Vec<String>,
    word: Option<String>,
    /// Whether the next word is where a redirection leads.
    is_target: bool,
    /// Whether the next line is input of a command.
    has_input: bool,
}

impl PartialCommand {
    fn end_word(&mut self) {
        if let Some(word) = self.word.take()
            && !mem::take(&mut self.is_target)
        {
            self.words.push(word);
        }
    }
}

impl<'a> ScriptReader<'a> {
    fn read(script: &'a str) -> Self {
        let mut reader =
            Self { text: script.chars().peekable(), commands: Vec::new(), is_plain: true };
        reader.commands(None, 0);
        reader
    }

    /// Reads commands until this character, or to the end.
    fn commands(&mut self, end: Option<char>, depth: usize) {
        let mut reading = PartialCommand::default();
        while let Some(next) = self.text.next().filter(|next| Some(*next) != end) {
            match next {
                '\'' => {
                    let quoted: String =
                        self.text.by_ref().take_while(|next| *next != '\'').collect();
                    // `fish` knows escapes there.
                    self.is_plain &= !quoted.contains('\\');
                    reading.word.get_or_insert_default().push_str(&quoted);
                }
                '"' => self.quoted(reading.word.get_or_insert_default(), depth),
                '\\' => {
                    // To `fish`, `\u0061` is a letter.
                    self.is_plain &= !self.text.peek().is_some_and(char::is_ascii_alphanumeric);
                    let escaped = self.text.next().filter(|next| *next != '\n');
                    reading.word.get_or_insert_default().extend(escaped);
                }
                '$' | '`' => self.expansion(next, reading.word.get_or_insert_default(), depth),
                '<' | '>' if self.text.peek() == Some(&'(') => {
                    self.expansion(next, reading.word.get_or_insert_default(), depth);
                }
                '<' | '>' => self.redirection(next, &mut reading),
                '&' if self.text.peek() == Some(&'>') => {
                    self.is_plain = false;
                    reading.end_word();
                }
                '#' if reading.word.is_none() => {
                    self.is_plain = false;
                    while self.text.next_if(|next| *next != '\n').is_some() {}
                }
                ' ' | '\t' => reading.end_word(),
                '\n' | ';' | '&' | '|' | '(' | ')' => {
                    self.is_plain = false;
                    reading.end_word();
                    self.commands.push(mem::take(&mut reading.words));
                    if next == '\n' && reading.has_input {
                        self.text.by_ref().for_each(drop);
                    }
                    if next == '(' && depth < MAX_DEPTH {
                        self.commands(Some(')'), depth + 1);
                    }
                }
                _ => {
                    self.is_plain &= !"{}*?[~!^".contains(next);
                    reading.word.get_or_insert_default().push(next);
                }
            }
        }
        reading.end_word();
        self.commands.push(reading.words);
    }

    /// Reads what is left of a text in double quotes.
    fn quoted(&mut self, word: &mut String, depth: usize) {
        while let Some(next) = self.text.next().filter(|next| *next != '"') {
            match next {
                // Before other characters, it stands for itself.
                '\\' => match self.text.next() {
                    Some('\n') => {}
                    Some(next) if "$`\"\\".contains(next) => word.push(next),
                    other => word.extend(['\\'].into_iter().chain(other)),
                },
                '$' | '`' => self.expansion(next, word, depth),
                _ => word.push(next),
            }
        }
    }

    /// Reads what follows `$` and other signs before something that a shell replaces.
    fn expansion(&mut self, sign: char, word: &mut String, depth: usize) {
        self.is_plain = false;
        word.push(sign);
        let end = match self.text.peek() {
            _ if sign == '`' => '`',
            Some('(') => {
                self.text.next();
                ')'
            }
            Some('{') => {
                word.extend(self.text.by_ref().take_while(|next| *next != '}'));
                return word.push('}');
            }
            _ => return,
        };
        if depth < MAX_DEPTH {
            self.commands(Some(end), depth + 1);
        }
    }

    /// Reads the signs of a redirection.
    fn redirection(&mut self, first: char, reading: &mut PartialCommand) {
        // The word before it is a file descriptor.
        let is_number = |word: &mut String| word.bytes().all(|byte| byte.is_ascii_digit());
        reading.word.take_if(is_number);
        reading.end_word();
        reading.is_target = true;
        let mut signs = first.to_string();
        while let Some(sign) = self.text.next_if(|next| "<>&|-".contains(*next)) {
            signs.push(sign);
        }
        reading.has_input |= matches!(signs.as_str(), "<<" | "<<-");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_stand_as_they_are_make_a_plain_command() {
        for script in [
            "",
            "codex exec 'what is $5; or \"x\"?' \"a; b\" e\\ f\n",
            "exec codex exec hi <in >out 2>&1",
            "codex exec <<< hi",
            "codex \"a\\\"b\" 'c'\"d\"",
        ] {
            assert!(is_plain(script), "{script}");
        }
        for script in [
            "codex $1",
            "codex \"$@\"",
            "codex ${1+x}",
            "codex `x`",
            "codex $'--yolo'",
            "codex --yo{lo,x}",
            "codex --yol*",
            "codex --yol?",
            "codex --yol[o]",
            "codex -C ~",
            "f() { codex; }",
            "cd sub && codex",
            "codex; true",
            "codex & true",
            "codex | cat",
            "(codex)",
            "codex\ncodex",
            "codex <(true)",
            "! codex",
            "codex # x",
            "codex <<E\nx\nE",
            "codex --y\\u006flo",
            "codex '\\'' --yolo '",
            "codex &>log",
        ] {
            assert!(!is_plain(script), "{script}");
        }
    }

    #[test]
    fn a_backslash_in_double_quotes_stays_before_most_characters() {
        let commands = simple_commands(r#"x "{\"s\u0061\":1}" "\$\`\\""#);
        assert_eq!(commands, [["x", r#"{"s\u0061":1}"#, r"$`\"]]);
    }

    #[test]
    fn nesting_has_an_end() {
        for (open, close) in [("$(", ")"), ("(", ")"), ("\"$(", ")\""), ("`", "`"), ("<(", ")")] {
            let script = format!("{}x{}", open.repeat(100_000), close.repeat(100_000));
            assert!(!simple_commands(&script).is_empty());
        }
    }
}
