//! Finds the typo behind a YAML fault.
//!
//! A YAML reader often stops below the line with the typo. Without its colon, for example, a line
//! becomes a value, and the reader stops at the next key. So this checks the lines up to the fault,
//! key by key, for the first that cannot be right. It runs only after a fault, once over the text.

#[cfg(test)]
mod tests;

use crate::skills::text::position::{Edit, Span};
use crate::skills::text::yaml::{YamlFault, YamlFaultKind};

/// What the text should be.
#[derive(Debug)]
pub struct Shape {
    /// Whether a word is the name of a field.
    pub is_field: fn(&str) -> bool,
    /// Whether `---` ends the YAML and other text follows.
    pub has_body: bool,
}

/// The typo that made the reader stop at `fault`, or the fault itself. `text` starts at `offset`.
pub fn find_typo(text: &str, offset: usize, fault: YamlFault, shape: &Shape) -> YamlFault {
    let at = fault.span.start - offset;
    match fault.kind {
        YamlFaultKind::UnquotedColon
        | YamlFaultKind::ReservedCharacter
        | YamlFaultKind::Tab
        | YamlFaultKind::Syntax => {
            let mut lines = TypoSearch::new(text, shape);
            lines.fault = Some((fault.kind, at));
            lines.first_typo(at).map_or(fault, |typo| typo.shifted(offset))
        }
        YamlFaultKind::UnclosedQuote if ends_with_its_line(text, at) => {
            let quote = Span::of_char(text, at).slice(text);
            fault.help(format!("write `{quote}` at the end of the value"))
        }
        YamlFaultKind::UnclosedQuote
        | YamlFaultKind::TrailingText
        | YamlFaultKind::Forbidden
        | YamlFaultKind::Budget => fault,
    }
}

/// Whether the value at `at` ends on its first line.
fn ends_with_its_line(text: &str, at: usize) -> bool {
    let mut lines = text[at..].lines().skip(1).filter(|line| !line.trim().is_empty());
    lines.next().is_none_or(|line| {
        let line = TrimmedLine::new(0, line);
        line.indent == 0 && line.key() == Some(line.word())
    })
}

/// The typo that turns fields into text: `name:pdf`.
pub fn typo_in_text(text: &str, offset: usize, shape: &Shape) -> Option<YamlFault> {
    let typo = TypoSearch::new(text, shape).first_typo(text.len())?;
    let word = &text[typo.span.start..typo.span.end];
    (shape.is_field)(word).then(|| typo.shifted(offset))
}

impl YamlFault {
    fn slip(span: Span, message: impl Into<String>) -> Self {
        Self { kind: YamlFaultKind::Syntax, span, message: message.into(), help: None, edit: None }
    }

    fn shifted(mut self, by: usize) -> Self {
        self.span = self.span.shifted(by);
        self.edit = self.edit.map(|edit| Edit { span: edit.span.shifted(by), ..edit });
        self
    }
}

/// Reads line by line until one cannot be right.
struct TypoSearch<'a> {
    text: &'a str,
    shape: &'a Shape,
    /// The fault of the reader.
    fault: Option<(YamlFaultKind, usize)>,
    state: SearchState<'a>,
    /// The last line before that is neither blank nor a comment.
    above: Option<TrimmedLine<'a>>,
    /// A line that may be the heading of a body.
    heading: Option<TrimmedLine<'a>>,
}

impl<'a> TypoSearch<'a> {
    const fn new(text: &'a str, shape: &'a Shape) -> Self {
        Self {
            text,
            shape,
            fault: None,
            state: SearchState::BeforeKeys { indented: None, item: None },
            above: None,
            heading: None,
        }
    }

    const fn field(&self) -> Option<Field<'a>> {
        match self.state {
            SearchState::BeforeKeys { .. } => None,
            SearchState::InField(field) => Some(field),
        }
    }

    fn value(&self) -> Option<ValueKind> {
        self.field().map(|field| field.value)
    }

    fn set_value(&mut self, value: ValueKind) {
        if let SearchState::InField(field) = &mut self.state {
            field.value = value;
        }
    }

    /// The first line that cannot be right, of those that start at or before `end`.
    fn first_typo(&mut self, end: usize) -> Option<YamlFault> {
        let mut start = 0;
        let mut after_blank = false;
        for whole in self.text.split_inclusive('\n') {
            let line = TrimmedLine::new(start, whole);
            if start > end {
                break;
            }
            start += whole.len();
            if line.content.is_empty() {
                after_blank = true;
                continue;
            }
            let is_open =
                matches!(self.value(), Some(ValueKind::Quote(_) | ValueKind::Brackets(..)));
            let typo = match line.content.as_bytes()[0] {
                _ if is_open => self.inside(line),
                b'#' => {
                    let is_heading = self.shape.has_body
                        && after_blank
                        && line.indent == 0
                        && self.field().is_some();
                    self.heading = self.heading.or(is_heading.then_some(line));
                    continue;
                }
                _ if line.indent == 0 => self.outermost(line),
                _ => self.deeper(line),
            };
            if typo.is_some() {
                return typo;
            }
            after_blank = false;
            self.above = Some(line);
        }
        None
    }

    /// A line inside quotes or brackets that an earlier one has opened.
    fn inside(&mut self, line: TrimmedLine<'a>) -> Option<YamlFault> {
        match self.value() {
            Some(ValueKind::Brackets(at, open)) => {
                let is_key = line.indent == 0 && line.key() == Some(line.word());
                if is_key && self.is_fault_before(line.end()) {
                    let bracket = &self.text[at..=at];
                    let closing = if bracket == "[" { ']' } else { '}' };
                    let message = format!("this `{bracket}` is never closed");
                    let help = format!("write `{closing}` behind it");
                    return Some(YamlFault::slip(Span::new(at, at + 1), message).help(help));
                }
                self.set_value(ValueKind::brackets(at, open, line.content));
            }
            Some(ValueKind::Quote(quote)) if line.content.contains(quote) => {
                self.set_value(ValueKind::Text);
            }
            _ => {}
        }
        None
    }

    /// A line that is not indented: a key, or an item below a key without a value.
    fn outermost(&mut self, line: TrimmedLine<'a>) -> Option<YamlFault> {
        if let Some(key) = line.key().filter(|_| !line.is_item()) {
            if let SearchState::BeforeKeys { indented, item } = self.state {
                let typo = indented.map(|first| self.indented_key(first));
                let typo = typo.or_else(|| item.map(list_item));
                if typo.is_some() {
                    return typo;
                }
            }
            let is_prose = key.contains(' ') && self.is_fault_before(line.end());
            if let Some(heading) = self.heading.filter(|_| is_prose) {
                return Some(unclosed_before(heading));
            }
            self.begin(key, line);
            return None;
        }
        if let SearchState::BeforeKeys { item, .. } = &mut self.state
            && line.is_item()
        {
            item.get_or_insert(line);
            return None;
        }
        match (line.content.as_bytes()[0], self.value()) {
            (b'-', Some(ValueKind::Nothing)) if line.is_item() => None,
            (b'-', _) if line.is_item() => {
                Some(self.heading.map_or_else(|| list_item(line), unclosed_before))
            }
            (b'.', _) if line.content == "..." => {
                let message = "`...` ends a YAML document, and more follows";
                Some(YamlFault::slip(line.head(3), message).help("delete the line"))
            }
            // These characters start constructs with their own rules.
            (b'?' | b'{' | b'[' | b'!' | b'&' | b'*' | b'%' | b'"' | b'\'' | b'|' | b'>', _) => {
                None
            }
            _ => Some(self.no_colon(line)),
        }
    }

    fn begin(&mut self, key: &'a str, line: TrimmedLine<'a>) {
        let colon = line.content[key.len()..].find(':').unwrap_or_default();
        let value = line.content[key.len() + colon..].trim_start_matches([':', ' ', '\t']);
        let at = line.end() - value.len();
        let is_prose = value.contains([' ', ':']) || key == "description";
        let value = match value.chars().next() {
            None | Some('#') => ValueKind::Nothing,
            Some('|' | '>') => ValueKind::Block(false),
            Some(quote @ ('"' | '\'')) if !value[1..].contains(quote) => ValueKind::Quote(quote),
            Some('[' | '{') => ValueKind::brackets(at, 0, value),
            Some(_) => ValueKind::Text,
        };
        self.state = SearchState::InField(Field { key, value, is_prose });
    }

    /// An indented line.
    fn deeper(&mut self, line: TrimmedLine<'a>) -> Option<YamlFault> {
        let word = line.key().filter(|key| *key == line.word());
        match &mut self.state {
            SearchState::BeforeKeys { indented, .. } => {
                *indented = indented.or_else(|| word.map(|_| line));
                return indented
                    .filter(|first| line.indent < first.indent)
                    .map(|first| self.indented_key(first));
            }
            SearchState::InField(Field { value: ValueKind::Block(has_lines), .. }) => {
                *has_lines = true
            }
            SearchState::InField(_) => {}
        }
        let word = word?;
        match self.fault? {
            (YamlFaultKind::UnquotedColon, at) if at == line.at + word.len() => {
                Some(self.colon_behind_word(line, word))
            }
            (YamlFaultKind::Tab, at)
                if at < line.at && matches!(self.value(), Some(ValueKind::Text)) =>
            {
                let typo = (self.shape.is_field)(word).then(|| self.indented_key(line))?;
                Some(YamlFault { kind: YamlFaultKind::Tab, ..typo })
            }
            _ => None,
        }
    }

    fn is_fault_before(&self, end: usize) -> bool {
        self.fault.is_some_and(|(_, at)| at < end)
    }

    /// `  key: value` below a line that already has a value.
    fn colon_behind_word(&self, line: TrimmedLine<'a>, word: &str) -> YamlFault {
        let span = line.head(word.len());
        if self.above.is_some_and(|above| above.indent > 0)
            && !matches!(self.value(), Some(ValueKind::Text))
        {
            return YamlFault::slip(span, "this key is indented further than the one above it")
                .help("indent it like the one above it");
        }
        if (self.shape.is_field)(word) {
            return self.indented_key(line);
        }
        let colon = Span::new(span.end, span.end + 1);
        let key = self.field().map_or("", |field| field.key);
        let fault = YamlFault::slip(colon, "an unquoted value cannot contain `: `").help(format!(
            "put the whole value of `{key}` in quotes, or remove the spaces before `{word}` if it \
             is a key"
        ));
        YamlFault { kind: YamlFaultKind::UnquotedColon, ..fault }
    }

    fn indented_key(&self, line: TrimmedLine<'a>) -> YamlFault {
        let word = line.word();
        let span = Span::new(line.at - line.indent, line.at);
        let blanks = match span.slice(self.text) {
            " " => "space",
            "\t" => "tab",
            blanks if blanks.contains('\t') => "blanks",
            _ => "spaces",
        };
        let mut fault = YamlFault::slip(line.head(word.len()), "this key is indented")
            .help(format!("remove the {blanks} before `{word}`"));
        // An apparent key may be the next line of a text.
        let is_prose = self.field().is_some_and(|field| field.is_prose);
        if (self.shape.is_field)(word) && !self.has_key(word) && !is_prose {
            fault.edit = Some(Edit { span, replacement: String::new() });
        }
        fault
    }

    /// A line that is not indented and has no `: `.
    fn no_colon(&self, line: TrimmedLine<'a>) -> YamlFault {
        const NO_COLON: &str = "this line has no `: ` after its key";
        let word = line.word();
        let rest = &line.content[word.len()..];
        let separator = rest.chars().next().filter(|first| is_separator(*first, rest));
        let is_missing = (self.shape.is_field)(word) && !self.has_key(word);
        let value = rest.trim_start_matches(|character| {
            is_separator(character, "") || character.is_whitespace()
        });
        if is_missing && !value.is_empty() && (separator.is_some() || rest.starts_with(' ')) {
            let is_unseen = rest.starts_with(":\u{a0}");
            let message = if is_unseen { "a no-break space follows this key" } else { NO_COLON };
            let mut fault = YamlFault::slip(line.head(word.len()), message)
                .help(format!("write `{word}: {value}`"));
            if is_unseen {
                fault = fault.help("type a space in its place");
            }
            if separator == Some(':') {
                let span = Span::new(line.at + word.len() + 1, line.end() - value.len());
                fault.edit = Some(Edit { span, replacement: " ".to_owned() });
            }
            return fault;
        }
        if let Some(heading) = self.heading {
            return unclosed_before(heading);
        }
        let whole = line.head(line.content.len());
        let not_a_field =
            |help: &str| YamlFault::slip(whole, "this line is not `key: value`").help(help);
        let key = self.field().map_or("", |field| field.key);
        match (line.content, self.value()) {
            (content, _) if content.starts_with("```") => not_a_field("delete the line"),
            (content, _) if content.starts_with("<!--") || content.starts_with("//") => {
                not_a_field("start a comment with `#`")
            }
            (_, Some(_)) if self.shape.has_body && line.is_rule() => {
                not_a_field("write `---` if the front matter ends here")
            }
            (content, _) if content.starts_with(['}', ']']) => {
                let message = format!("this `{}` closes nothing", &content[..1]);
                YamlFault::slip(line.head(1), message).help("delete it")
            }
            (_, Some(ValueKind::Nothing)) => {
                YamlFault::slip(whole, format!("the value of `{key}` is not indented"))
                    .help(format!("write it on the line of `{key}:`, or indent it by two spaces"))
            }
            (_, Some(ValueKind::Block(false))) => {
                YamlFault::slip(whole, format!("the text of `{key}` is not indented"))
                    .help("indent all its lines by two spaces")
            }
            (_, Some(_)) if separator.is_some() => YamlFault::slip(line.head(word.len()), NO_COLON)
                .help(format!(
                    "write `{word}: {value}`, or indent the line if it belongs to `{key}`"
                )),
            (_, Some(_)) => YamlFault::slip(whole, NO_COLON).help(format!(
                "indent it by two spaces if it belongs to `{key}`, else write `key: value`"
            )),
            (_, None) => {
                YamlFault::slip(whole, NO_COLON).help("write `key: value`, or delete the line")
            }
        }
    }

    /// Whether some line has this key.
    fn has_key(&self, key: &str) -> bool {
        let is_key = |line: &str| {
            line.strip_prefix(key)
                .is_some_and(|rest| rest.trim_start().starts_with(": ") || rest.trim() == ":")
        };
        self.text.lines().any(is_key)
    }
}

fn list_item(line: TrimmedLine<'_>) -> YamlFault {
    YamlFault::slip(line.head(1), "a key cannot be an item of a list")
        .help("remove the `- ` before it")
}

fn unclosed_before(heading: TrimmedLine<'_>) -> YamlFault {
    let span = heading.head(heading.content.len());
    YamlFault::slip(span, "the front matter is not closed before this heading")
        .help("write `---` on a line of its own above it")
}

// Lines of front matter as people write them.

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// A line without the blanks around it.
#[derive(Clone, Copy)]
pub struct TrimmedLine<'a> {
    /// The position of its first character that is not blank.
    pub at: usize,
    /// The number of blanks before it.
    pub indent: usize,
    /// The whole line.
    pub content: &'a str,
}

impl<'a> TrimmedLine<'a> {
    pub fn new(start: usize, line: &'a str) -> Self {
        let content = line.trim_start_matches([' ', '\t']);
        let indent = line.len() - content.len();
        Self { at: start + indent, indent, content: content.trim_end_matches(BLANKS) }
    }

    /// The first `length` bytes.
    pub const fn head(&self, length: usize) -> Span {
        Span::new(self.at, self.at + length)
    }

    pub const fn end(&self) -> usize {
        self.at + self.content.len()
    }

    /// The text before `: `, or before a colon at the end.
    pub fn key(&self) -> Option<&'a str> {
        let is_end = |at: &usize| {
            let next = self.content[at + 1..].chars().next();
            next.is_none_or(|next| matches!(next, ' ' | '\t'))
        };
        let colon = self.content.match_indices(':').map(|(at, _)| at).find(is_end)?;
        Some(self.content[..colon].trim_end())
    }

    /// The letters, digits, hyphens and underscores it starts with.
    pub fn word(&self) -> &'a str {
        let is_word =
            |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
        let length = self.content.len() - self.content.trim_start_matches(is_word).len();
        &self.content[..length]
    }

    pub fn is_item(&self) -> bool {
        self.content == "-" || self.content.starts_with("- ")
    }

    /// A line that should have been `---`.
    pub fn is_rule(&self) -> bool {
        self.content.chars().all(|character| matches!(character, '-' | '–' | '—' | '='))
    }
}

/// The value of the last key that is not indented.
#[derive(Clone, Copy)]
pub enum ValueKind {
    /// Nothing on its line.
    Nothing,
    /// Text, or another complete value.
    Text,
    /// `|` or `>`, and whether it has lines yet.
    Block(bool),
    /// An open quote.
    Quote(char),
    /// Open brackets: the place of the first, and their number.
    Brackets(usize, usize),
}

impl ValueKind {
    /// The number of open brackets at the end of `text`, except those in quotes.
    pub fn brackets(at: usize, mut open: usize, text: &str) -> Self {
        let mut quote = None;
        let mut before = b' ';
        for byte in text.bytes() {
            let starts_item = matches!(before, b' ' | b'[' | b'{' | b',' | b':');
            match byte {
                _ if quote == Some(byte) => quote = None,
                _ if quote.is_some() => {}
                b'"' | b'\'' if starts_item => quote = Some(byte),
                b'[' | b'{' => open += 1,
                b']' | b'}' => open = open.saturating_sub(1),
                _ => {}
            }
            before = byte;
        }
        if open == 0 { Self::Text } else { Self::Brackets(at, open) }
    }
}

/// Characters that people write instead of `: `.
pub fn is_separator(character: char, rest: &str) -> bool {
    match character {
        ':' => !rest.starts_with("://"),
        '=' | '：' | '\u{a0}' => true,
        _ => false,
    }
}

// The state of the search for a typo: before the first key, or at the value of a key.

#[derive(Clone, Copy)]
pub enum SearchState<'a> {
    /// Before the first key that is not indented.
    BeforeKeys {
        /// The first indented key.
        indented: Option<TrimmedLine<'a>>,
        /// The first item of a list.
        item: Option<TrimmedLine<'a>>,
    },
    /// At the value of a key that is not indented.
    InField(Field<'a>),
}

/// A key that is not indented, and its value so far.
#[derive(Clone, Copy)]
pub struct Field<'a> {
    pub key: &'a str,
    pub value: ValueKind,
    /// Whether the value may continue on the next line.
    pub is_prose: bool,
}
