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
    let mut reader = ScriptReader { text: script.chars().peekable(), commands: Vec::new() };
    reader.commands(None, 0);
    reader.commands
}

struct ScriptReader<'a> {
    text: Peekable<Chars<'a>>,
    commands: Vec<Vec<String>>,
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

impl ScriptReader<'_> {
    /// Reads commands until this character, or to the end.
    fn commands(&mut self, end: Option<char>, depth: usize) {
        let mut reading = PartialCommand::default();
        while let Some(next) = self.text.next().filter(|next| Some(*next) != end) {
            match next {
                '\'' => {
                    let quoted = self.text.by_ref().take_while(|next| *next != '\'');
                    reading.word.get_or_insert_default().extend(quoted);
                }
                '"' => self.quoted(reading.word.get_or_insert_default(), depth),
                '\\' => {
                    let escaped = self.text.next().filter(|next| *next != '\n');
                    reading.word.get_or_insert_default().extend(escaped);
                }
                '$' | '`' => self.expansion(next, reading.word.get_or_insert_default(), depth),
                '<' | '>' if self.text.peek() == Some(&'(') => {
                    self.expansion(next, reading.word.get_or_insert_default(), depth);
                }
                '<' | '>' => self.redirection(next, &mut reading),
                '&' if self.text.peek() == Some(&'>') => reading.end_word(),
                '#' if reading.word.is_none() => {
                    while self.text.next_if(|next| *next != '\n').is_some() {}
                }
                ' ' | '\t' => reading.end_word(),
                '\n' | ';' | '&' | '|' | '(' | ')' => {
                    reading.end_word();
                    self.commands.push(mem::take(&mut reading.words));
                    if next == '\n' && reading.has_input {
                        self.text.by_ref().for_each(drop);
                    }
                    if next == '(' && depth < MAX_DEPTH {
                        self.commands(Some(')'), depth + 1);
                    }
                }
                _ => reading.word.get_or_insert_default().push(next),
            }
        }
        reading.end_word();
        self.commands.push(reading.words);
    }

    /// Reads what is left of a text in double quotes.
    fn quoted(&mut self, word: &mut String, depth: usize) {
        while let Some(next) = self.text.next().filter(|next| *next != '"') {
            match next {
                '\\' => word.extend(self.text.next()),
                '$' | '`' => self.expansion(next, word, depth),
                _ => word.push(next),
            }
        }
    }

    /// Reads what follows `$` and other signs before something that a shell replaces.
    fn expansion(&mut self, sign: char, word: &mut String, depth: usize) {
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
    fn nesting_has_an_end() {
        for (open, close) in [("$(", ")"), ("(", ")"), ("\"$(", ")\""), ("`", "`"), ("<(", ")")] {
            let script = format!("{}x{}", open.repeat(100_000), close.repeat(100_000));
            assert!(!simple_commands(&script).is_empty());
        }
    }
}
