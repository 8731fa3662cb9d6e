//! Reads YAML into a small tree in which every key and value has its place.
//!
//! It accepts the part of YAML that every agent reads the same way: one document, mappings with
//! scalar keys, sequences and scalars. It refuses anchors, aliases, tags, merge keys and
//! directives, and limits depth and length. It collects all duplicate keys instead of stopping at
//! the first.

pub mod simple;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, StrInput, Tag};

pub use crate::skills::text::dialect::read_as;
use crate::skills::text::dialect::{revealed, shallow_line, starts_with_tab};
use crate::skills::text::document::{YAML_DEPTH, YAML_EVENTS};
use crate::skills::text::position::{Edit, Span};
pub use crate::skills::text::typo::{Shape, find_typo, typo_in_text};
use crate::skills::text::unicode::is_control;

/// Reads `text` as one YAML document; spans are moved by `offset`, its place in the file.
pub fn read(text: &str, offset: usize) -> Result<Yaml<'_>, YamlFault> {
    simple::read(text, offset).map_or_else(|| read_events(text, offset), Ok)
}

/// How an agent's YAML reader differs from the plain language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lenience {
    /// Unknown tags, such as `!foo`, are ignored; else they are faults.
    pub unknown_tags: bool,
    /// `<<` merges another mapping.
    pub merge_keys: bool,
    /// Where control characters are text.
    pub controls: Controls,
    /// An unquoted value may start with a comma.
    pub leading_comma: bool,
    /// U+0085, U+2028 and U+2029 end a line.
    pub old_breaks: bool,
    /// An empty item before a comma in brackets is allowed.
    pub empty_items: bool,
    /// A comment may follow a quote or a bracket without a blank.
    pub attached_comments: bool,
    /// Lines of a quoted value need no indentation.
    pub shallow_quotes: bool,
    /// Tabs at the start of a line are ignored.
    pub ignored_tabs: bool,
    /// A colon after a bracket starts a value with an empty key.
    pub key_behind_brackets: bool,
    /// Two equal collections are different keys.
    pub collections_differ: bool,
    /// An entry may follow a quote or a bracket in the same line.
    pub entries_in_a_line: bool,
    /// Anchors are made of ASCII letters, digits, `_` and `-`; else they are faults.
    pub plain_anchors: bool,
    /// Lines in brackets must be indented more than the key before them.
    pub deep_brackets: bool,
}

impl Lenience {
    /// Nothing.
    pub const STRICT: Self = Self {
        unknown_tags: false,
        merge_keys: false,
        controls: Controls::Refused,
        leading_comma: false,
        old_breaks: false,
        empty_items: false,
        attached_comments: false,
        shallow_quotes: false,
        ignored_tabs: false,
        key_behind_brackets: false,
        collections_differ: false,
        entries_in_a_line: false,
        plain_anchors: false,
        deep_brackets: false,
    };
}

/// Where an agent's YAML reader accepts control characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Controls {
    /// Nowhere.
    #[default]
    Refused,
    /// Between quotes, and in comments.
    InQuotes,
    /// Everywhere.
    Anywhere,
}

/// One value with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node<'a> {
    pub value: Value<'a>,
    /// Its place.
    pub span: Span,
}

/// A YAML value after the core schema has been applied to plain scalars.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// Nothing, `~` or `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer or a float, as written.
    Number(Cow<'a, str>),
    /// Any other scalar.
    String(Cow<'a, str>),
    /// A list.
    Sequence(Vec<Node<'a>>),
    /// Keys and values.
    Mapping(Mapping<'a>),
}

/// Entries in the order of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mapping<'a> {
    /// Every entry, repeated keys included.
    pub entries: Vec<MappingEntry<'a>>,
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct MappingEntry<'a> {
    /// The key; a collection only if an agent's reader allows it.
    pub key: Node<'a>,
    pub value: Node<'a>,
}

/// A key that appears a second time in its mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    pub key: String,
    /// The place of the first one.
    pub first: Span,
    /// The place of the second one.
    pub again: Span,
}

/// A document that was read to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Yaml<'a> {
    /// The root; `Null` for an empty document.
    pub root: Node<'a>,
    /// Keys that appear more than once, at any level.
    pub duplicates: Vec<Duplicate>,
}

/// Why reading stopped, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlFault {
    /// The kind of fault.
    pub kind: YamlFaultKind,
    /// The offending character or token.
    pub span: Span,
    /// One sentence without a full stop.
    pub message: String,
    /// How to correct it, if known.
    pub help: Option<String>,
    /// The correction, if the author's intention is certain.
    pub edit: Option<Edit>,
}

impl YamlFault {
    /// Sets the help.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YamlFaultKind {
    /// `: ` or a final `:` inside an unquoted value.
    UnquotedColon,
    /// An unquoted value that starts with a reserved character.
    ReservedCharacter,
    /// Text after a quoted value or a closing bracket.
    TrailingText,
    UnclosedQuote,
    /// A tab used as indentation.
    Tab,
    /// An anchor, alias, tag, merge key or directive.
    Forbidden,
    /// Nested too deeply or too long.
    Budget,
    /// Anything else a YAML parser rejects.
    Syntax,
}

impl YamlFaultKind {
    /// General advice for this kind of fault.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::UnquotedColon | Self::TrailingText => "put the whole value in quotes",
            Self::ReservedCharacter => "put the value in quotes",
            Self::UnclosedQuote => "close it, and indent the lines in between",
            Self::Tab => "replace the tab by spaces",
            Self::Forbidden | Self::Budget | Self::Syntax => {
                "write plain `key: value` lines, and quote the value if it is text"
            }
        }
    }
}

impl Value<'_> {
    /// The number of values in it, including itself.
    fn count(&self) -> usize {
        match self {
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) => 1,
            Self::Sequence(items) => 1 + items.iter().map(|item| item.value.count()).sum::<usize>(),
            Self::Mapping(mapping) => {
                1 + mapping.entries.iter().map(|entry| 1 + entry.value.value.count()).sum::<usize>()
            }
        }
    }

    /// The word for this type in messages.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Sequence(_) => "a list",
            Self::Mapping(_) => "a mapping",
        }
    }
}

impl<'a> Node<'a> {
    fn each_rewritten_string(&self, visit: &mut impl FnMut(&Self, &str)) {
        match &self.value {
            Value::String(Cow::Owned(text)) => visit(self, text),
            Value::Sequence(items) => {
                items.iter().for_each(|item| item.each_rewritten_string(visit));
            }
            Value::Mapping(mapping) => mapping.each_rewritten_string(visit),
            Value::String(Cow::Borrowed(_)) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Whether this and `other` are equal, regardless of their places.
    pub fn means(&self, other: &Node<'_>) -> bool {
        match (&self.value, &other.value) {
            (Value::Sequence(one), Value::Sequence(two)) => {
                one.len() == two.len() && one.iter().zip(two).all(|(a, b)| a.means(b))
            }
            (Value::Mapping(one), Value::Mapping(two)) => {
                let pairs = || one.entries.iter().zip(&two.entries);
                one.entries.len() == two.entries.len()
                    && pairs().all(|(a, b)| a.key.means(&b.key) && a.value.means(&b.value))
            }
            (one, two) => one == two,
        }
    }

    /// Whether this is a list or a mapping.
    pub const fn is_collection(&self) -> bool {
        matches!(self.value, Value::Sequence(_) | Value::Mapping(_))
    }

    /// The entries, if this is a mapping.
    pub const fn as_mapping(&self) -> Option<&Mapping<'a>> {
        match &self.value {
            Value::Mapping(mapping) => Some(mapping),
            _ => None,
        }
    }

    /// The text of any scalar as written, without its type; empty for collections.
    pub fn scalar_text(&self) -> &str {
        match &self.value {
            Value::String(text) | Value::Number(text) => text,
            Value::Bool(true) => "true",
            Value::Bool(false) => "false",
            Value::Null | Value::Sequence(_) | Value::Mapping(_) => "",
        }
    }
}

impl<'a> Mapping<'a> {
    /// Calls `visit` with every key and value, at any depth, whose text differs from the file: it was
    /// folded or has escapes.
    pub fn each_rewritten_string(&self, visit: &mut impl FnMut(&Node<'a>, &str)) {
        for entry in &self.entries {
            entry.key.each_rewritten_string(visit);
            entry.value.each_rewritten_string(visit);
        }
    }

    /// The first entry with this key.
    pub fn entry(&self, key: &str) -> Option<&MappingEntry<'a>> {
        self.entries.iter().find(|entry| entry.key.as_str() == Some(key))
    }

    /// The value of the last entry with this key, which readers that allow duplicates use.
    pub fn last(&self, key: &str) -> Option<&Node<'a>> {
        let same = |entry: &&MappingEntry<'_>| entry.key.as_str() == Some(key);
        self.entries.iter().rev().find(same).map(|entry| &entry.value)
    }

    /// The value of the first entry with this key.
    pub fn get(&self, key: &str) -> Option<&Node<'a>> {
        self.entry(key).map(|entry| &entry.value)
    }
}

// Builds the tree from the parser's events. The only file that names the YAML crate.
//
// It reads events instead of deserialising with serde because events carry spans, scalar styles
// and every duplicate key. It is also faster: 8 µs for typical front matter instead of 21 µs.

const NO_TABS: &str = "YAML is indented with spaces, not tabs";

pub const NO_CONTROLS: &str = "YAML allows no control characters";

/// Advice for front matter that exceeds a limit.
const TOO_MUCH: &str = "move the data to a file of its own";

/// Reads `text` as one YAML document; spans are moved by `offset`, its place in the file.
pub fn read_events(text: &str, offset: usize) -> Result<Yaml<'_>, YamlFault> {
    let options = granit_parser::options! {
        disallow_directives: true,
        emit_anchor_events: true,
        emit_unresolved_aliases: true,
        flow_nesting_limit: YAML_DEPTH,
        block_nesting_limit: YAML_DEPTH,
    };
    let parser = Parser::new_from_str_with_options(text, options);
    EventReader::new(parser, text, offset, None).document()
}

/// Reads `text` as agents do, with anchors, tags and aliases.
pub fn read_permissively(text: &str, lenience: Lenience) -> Result<Yaml<'_>, YamlFault> {
    let options = granit_parser::options! {
        flow_nesting_limit: YAML_DEPTH,
        block_nesting_limit: YAML_DEPTH,
    };
    let parser = Parser::new_from_str_with_options(text, options);
    if starts_with_tab(text) {
        return Err(fault(YamlFaultKind::Tab, Span::of_char(text, 0), NO_TABS));
    }
    EventReader::new(parser, text, 0, Some(Anchors::new(lenience))).document()
}

struct EventReader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    text: &'a str,
    offset: usize,
    events: usize,
    duplicates: Vec<Duplicate>,
    /// Values with an anchor; none when anchors are refused.
    anchors: Option<Anchors<'a>>,
}

impl<'a> EventReader<'a> {
    const fn new(
        parser: Parser<'a, StrInput<'a>>,
        text: &'a str,
        offset: usize,
        anchors: Option<Anchors<'a>>,
    ) -> Self {
        Self { parser, text, offset, events: 0, duplicates: Vec::new(), anchors }
    }

    fn document(mut self) -> Result<Yaml<'a>, YamlFault> {
        let mut root = None;
        while let Some((event, span)) = self.next()? {
            match event {
                Event::DocumentStart(..) if root.is_some() => {
                    let message = "a second YAML document starts here";
                    let help = "write one document; delete the line that ends the first";
                    return Err(fault(YamlFaultKind::Syntax, span, message).help(help));
                }
                Event::StreamStart
                | Event::StreamEnd
                | Event::DocumentStart(..)
                | Event::DocumentEnd => {}
                event => root = Some(self.node(event, span, 1)?),
            }
        }
        let nothing = Node { value: Value::Null, span: Span::new(self.offset, self.offset) };
        Ok(Yaml { root: root.unwrap_or(nothing), duplicates: self.duplicates })
    }

    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>, YamlFault> {
        let Some(result) = self.parser.next_event() else {
            return Ok(None);
        };
        let (event, span) = result.map_err(|error| self.scan_fault(&error))?;
        let range = span.byte_range().unwrap_or(0..0);
        let place = Span::new(range.start, range.end).shifted(self.offset);
        self.events += 1;
        if self.events > YAML_EVENTS {
            let message = format!("more than {YAML_EVENTS} YAML events");
            return Err(fault(YamlFaultKind::Budget, place, message).help(TOO_MUCH));
        }
        if let Some(anchors) = &self.anchors {
            let known = |tag: &Tag| tag.is_yaml_core_schema() || tag.to_string() == "!";
            if !anchors.lenience.unknown_tags && event.tag().is_some_and(|tag| !known(tag)) {
                return Err(fault(YamlFaultKind::Forbidden, place, "this YAML tag is not known"));
            }
            return Ok(Some((event, place)));
        }
        if event.tag().is_some() {
            let start = span.tag_start().and_then(|mark| mark.byte_offset());
            let start = start.map_or(place.start, |start| start + self.offset);
            let message = "YAML tags are not allowed here";
            return Err(fault(YamlFaultKind::Forbidden, Span::new(start, place.end), message));
        }
        match event {
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                Err(fault(YamlFaultKind::Forbidden, place, "YAML aliases are not allowed here"))
            }
            Event::Anchor(..) => {
                Err(fault(YamlFaultKind::Forbidden, place, "YAML anchors are not allowed here"))
            }
            event => Ok(Some((event, place))),
        }
    }

    /// The next event inside a collection. The parser closes every collection.
    fn inner(&mut self) -> Result<(Event<'a>, Span), YamlFault> {
        let end = Span::new(self.text.len(), self.text.len()).shifted(self.offset);
        self.next()?.ok_or_else(|| fault(YamlFaultKind::Syntax, end, "the YAML ends too early"))
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node<'a>, YamlFault> {
        if depth > YAML_DEPTH {
            return Err(too_deep(span));
        }
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let text = self.text_of(text, style, anchor, span)?;
                let value = if tag.is_some() { Value::String(text) } else { resolve(text, style) };
                if anchor != 0 {
                    self.anchor(anchor, &value)?;
                }
                let span = match style {
                    ScalarStyle::Literal | ScalarStyle::Folded => self.without_final_breaks(span),
                    _ => span,
                };
                Ok(Node { value, span })
            }
            Event::Alias(anchor) => {
                let refused =
                    || fault(YamlFaultKind::Forbidden, span, "YAML aliases are not allowed here");
                let value = self.anchors.as_mut().ok_or_else(refused)?.alias(anchor, span)?;
                Ok(Node { value, span })
            }
            Event::SequenceStart(_, anchor, _) => {
                self.check_anchor(anchor, span)?;
                let node = self.sequence(span, depth)?;
                self.remember(anchor, &node.value);
                Ok(node)
            }
            Event::MappingStart(_, anchor, _) => {
                self.check_anchor(anchor, span)?;
                let node = self.mapping(span, depth)?;
                self.remember(anchor, &node.value);
                Ok(node)
            }
            _ => Err(fault(YamlFaultKind::Syntax, span, "a value is missing here")),
        }
    }

    /// Stores an anchored scalar, or refuses the anchor with its place.
    fn anchor(&mut self, number: usize, value: &Value<'a>) -> Result<(), YamlFault> {
        if self.anchors.is_none() {
            self.next()?;
        }
        self.remember(number, value);
        Ok(())
    }

    fn remember(&mut self, number: usize, value: &Value<'a>) {
        if let Some(anchors) = self.anchors.as_mut().filter(|_| number != 0) {
            anchors.remember(number, value);
        }
    }

    /// Trims the line breaks after a block scalar, which the parser counts as part of it.
    fn without_final_breaks(&self, span: Span) -> Span {
        let own = Span::new(span.start - self.offset, span.end - self.offset);
        Span::new(span.start, span.start + own.slice(self.text).trim_end().len())
    }

    fn sequence(&mut self, start: Span, depth: usize) -> Result<Node<'a>, YamlFault> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.inner()?;
            if event == Event::SequenceEnd {
                let end = items.last().map_or(start.end, |item: &Node<'_>| item.span.end);
                let span = collection_span(start, span, end);
                return Ok(Node { value: Value::Sequence(items), span });
            }
            items.push(self.node(event, span, depth + 1)?);
        }
    }

    fn mapping(&mut self, start: Span, depth: usize) -> Result<Node<'a>, YamlFault> {
        let mut mapping = Mapping::default();
        let is_block = self.character(start) != '{';
        loop {
            let (event, span) = self.inner()?;
            if event == Event::MappingEnd {
                let end = mapping.entries.last().map_or(start.end, |entry| entry.value.span.end);
                let span = collection_span(start, span, end);
                if self.anchors.as_ref().is_some_and(|anchors| anchors.lenience.merge_keys) {
                    merge(&mut mapping);
                }
                collect_duplicates(&mapping, &mut self.duplicates);
                if self.anchors.as_ref().is_some_and(|anchors| !anchors.lenience.collections_differ)
                {
                    collect_duplicate_collections(&mapping, &mut self.duplicates);
                }
                return Ok(Node { value: Value::Mapping(mapping), span });
            }
            let key = self.key(event, span, depth + 1)?;
            let (event, span) = self.inner()?;
            let value = self.node(event, span, depth + 1)?;
            if let Some(anchors) = self.anchors.as_ref().filter(|_| is_block) {
                anchors.check_brackets(self.text, &key, &value)?;
            }
            mapping.entries.push(MappingEntry { key, value });
        }
    }

    /// The text of a scalar as the agent's reader sees it, if one is simulated.
    fn text_of(
        &self,
        text: Cow<'a, str>,
        style: ScalarStyle,
        anchor: usize,
        span: Span,
    ) -> Result<Cow<'a, str>, YamlFault> {
        self.check_anchor(anchor, span)?;
        let quoted = matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted);
        match &self.anchors {
            Some(anchors) => anchors.revealed(text, quoted, span),
            None => Ok(text),
        }
    }

    fn check_anchor(&self, number: usize, span: Span) -> Result<(), YamlFault> {
        match &self.anchors {
            Some(anchors) if number != 0 => anchors.check_name(self.text, span),
            _ => Ok(()),
        }
    }

    /// A key. A permissive reader also accepts a collection.
    fn key(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node<'a>, YamlFault> {
        let is_collection = matches!(event, Event::SequenceStart(..) | Event::MappingStart(..));
        if is_collection && self.anchors.is_some() {
            return self.node(event, span, depth);
        }
        let Event::Scalar(text, style, anchor, _) = event else {
            let open = (span.start - self.offset).saturating_sub(1);
            if self.text.get(open..).is_some_and(|rest| rest.starts_with("{{")) {
                let message = "an unquoted value cannot start with `{{`";
                let span = Span::new(span.start - 1, span.start + 1);
                return Err(fault(YamlFaultKind::ReservedCharacter, span, message));
            }
            return Err(fault(YamlFaultKind::Syntax, span, "a key must be plain text")
                .help("put the value in quotes if it is text"));
        };
        let text = self.text_of(text, style, anchor, span)?;
        let value = resolve(text.clone(), style);
        if anchor != 0 {
            self.anchor(anchor, &value)?;
        }
        if text == "<<" && style == ScalarStyle::Plain && self.anchors.is_none() {
            return Err(fault(
                YamlFaultKind::Forbidden,
                span,
                "YAML merge keys are not allowed here",
            ));
        }
        Ok(Node { value, span })
    }

    /// Rewords the parser's error, and gives it a place in the file.
    fn scan_fault(&self, error: &ScanError) -> YamlFault {
        let mut at = error.marker().byte_offset().unwrap_or(0);
        if is_tab_error(error.kind()) {
            at = self.tab_near(at);
        }
        let place = Span::of_char(self.text, at).shifted(self.offset);
        let (kind, message) = match error.kind() {
            ErrorKind::MappingValueNotAllowed => {
                (YamlFaultKind::UnquotedColon, "an unquoted value cannot contain `: `".to_owned())
            }
            ErrorKind::UnexpectedCharacter { character } if is_control(*character) => {
                return fault(YamlFaultKind::Syntax, place, NO_CONTROLS).help("delete it");
            }
            ErrorKind::UnexpectedCharacter { .. }
            | ErrorKind::MappingKeyNotAllowed
            | ErrorKind::MissingAnchorOrAliasName
            | ErrorKind::UnexpectedEndOfPlainScalar => return self.reserved(place),
            ErrorKind::MisplacedFlowCollectionEnd | ErrorKind::UnexpectedEofBlockMapping
                if self.starts_value(at) =>
            {
                return self.reserved(place);
            }
            ErrorKind::InvalidTrailingSingleQuotedScalar
            | ErrorKind::InvalidTrailingDoubleQuotedScalar => {
                (YamlFaultKind::TrailingText, "text follows the closing quote".to_owned())
            }
            ErrorKind::ExpectedBlockMappingKey if self.follows_bracket(at) => {
                (YamlFaultKind::TrailingText, "text follows the closing bracket".to_owned())
            }
            ErrorKind::UnclosedQuotedScalar
            | ErrorKind::InvalidQuotedScalarIndent
            | ErrorKind::DocumentIndicatorInQuotedScalar => {
                let span = self.opening_quote(at).unwrap_or(place);
                return fault(YamlFaultKind::UnclosedQuote, span, "this quote is never closed");
            }
            kind if is_escape_error(kind) => {
                let place = self.wrong_escape(at).unwrap_or(place);
                return fault(YamlFaultKind::Syntax, place, "YAML does not know this escape")
                    .help("write `\\\\` for a backslash, or put the value in single quotes");
            }
            kind if is_tab_error(kind) => (YamlFaultKind::Tab, NO_TABS.to_owned()),
            ErrorKind::RecursionLimitExceeded => return too_deep(place),
            ErrorKind::DirectiveDisallowed => {
                (YamlFaultKind::Forbidden, "YAML directives are not allowed here".to_owned())
            }
            kind => {
                let (message, help) = self.syntax(kind, place);
                return fault(YamlFaultKind::Syntax, place, message).help(help);
            }
        };
        fault(kind, place, message)
    }

    /// A message and advice for faults that depend on their place.
    fn syntax(&self, kind: &ErrorKind, place: Span) -> (String, &'static str) {
        let character = || self.character(place);
        let (message, help) = match kind {
            ErrorKind::SimpleKeyExpected => {
                ("this line has no `: ` after its key", "write `key: value`")
            }
            ErrorKind::ExpectedBlockMappingKey => {
                ("a `key: value` line was expected here", "indent it like the lines above it")
            }
            ErrorKind::ExpectedBlockSequenceEntry => {
                ("a `- ` was expected here", "start it with `- `, like the lines above it")
            }
            ErrorKind::BlockSequenceEntryNotAllowed => (
                "an unquoted value cannot start with `- `",
                "put the value in quotes, or write the list on lines of its own",
            ),
            ErrorKind::UnclosedFlowCollection { open } => {
                let help = if *open == '[' { "write `]` behind it" } else { "write `}` behind it" };
                return (format!("this `{open}` is never closed"), help);
            }
            ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
                return (
                    format!("this `{close}` cannot close a `{open}`"),
                    "use the same brackets",
                );
            }
            ErrorKind::MisplacedFlowCollectionEnd => {
                return (format!("this `{}` closes nothing", character()), "delete it");
            }
            ErrorKind::ExpectedFlowMappingSeparator
            | ErrorKind::ExpectedFlowSequenceSeparator
            | ErrorKind::InvalidColonPlacement
            | ErrorKind::InvalidFlowScalarIndent => (
                "this cannot stand inside the brackets",
                "close the bracket before it, or put what is inside in quotes",
            ),
            ErrorKind::InvalidBlockScalarHeader => {
                let message = format!("text cannot follow `{}` on its line", character());
                return (message, "write it on the lines below, indented, or put it in quotes");
            }
            ErrorKind::InvalidBlockScalarIndent => (
                "a blank line above has more spaces than this one",
                "delete the spaces on the blank lines",
            ),
            ErrorKind::CommentInterceptedScalar => (
                "a comment cannot stand between the lines of a value",
                "move the comment above the key",
            ),
            ErrorKind::CommentNotSeparated => {
                ("a comment needs a space before its `#`", "put the value in quotes if it is text")
            }
            ErrorKind::ExpectedDocumentStart => (
                "this line is indented less than the lines above it",
                "start all keys in the same column",
            ),
            _ => (
                "this cannot be read as YAML",
                "write plain `key: value` lines, and quote the value if it is text",
            ),
        };
        (message.to_owned(), help)
    }

    /// The fault for a value that starts with a reserved character.
    fn reserved(&self, place: Span) -> YamlFault {
        let message = match self.character(place) {
            '`' => "an unquoted value cannot start with a backquote".to_owned(),
            character => format!("an unquoted value cannot start with `{character}`"),
        };
        fault(YamlFaultKind::ReservedCharacter, place, message)
    }

    fn character(&self, place: Span) -> char {
        let rest = self.text.get(place.start - self.offset..).unwrap_or_default();
        rest.chars().next().unwrap_or(' ')
    }

    /// Whether a value starts at `at`, after its key.
    fn starts_value(&self, at: usize) -> bool {
        let before = self.text.get(..at).unwrap_or_default();
        let is_behind_key = before.trim_end_matches(' ').ends_with(':') && before.ends_with(' ');
        is_behind_key && at < self.text.len()
    }

    /// Finds the tab. The parser stops after it, or at the start of the value that it ends.
    fn tab_near(&self, at: usize) -> usize {
        if self.text[..at].ends_with('\t') {
            return at - 1;
        }
        self.text[at..].find("\n\t").map_or(at, |newline| at + newline + 1)
    }

    /// The first invalid escape in the double quotes at `at`.
    fn wrong_escape(&self, at: usize) -> Option<Span> {
        let quoted = self.text.get(at..)?;
        let mut rest = quoted;
        loop {
            rest = &rest[rest.find('\\')?..];
            let start = at + quoted.len() - rest.len();
            let mut characters = rest[1..].chars();
            let escape = characters.next()?;
            let digits = match escape {
                'x' => 2,
                'u' => 4,
                'U' => 8,
                _ => 0,
            };
            let is_known = "0abt\tnvfre \"/\\N_LPxuU\n\r".contains(escape);
            if !is_known || !characters.take(digits).all(|digit| digit.is_ascii_hexdigit()) {
                let end = start + 1 + escape.len_utf8();
                return Some(Span::new(start, end).shifted(self.offset));
            }
            rest = &rest[1 + escape.len_utf8()..];
        }
    }

    /// The quote that opens the last quoted value before `at`.
    fn opening_quote(&self, at: usize) -> Option<Span> {
        let before = self.text.get(..at)?;
        let opening =
            [": \"", ": '", "- \"", "- '"].iter().filter_map(|open| before.rfind(open)).max()?;
        Some(Span::of_char(self.text, opening + 2).shifted(self.offset))
    }

    /// Whether only blanks are between `at` and a closing bracket.
    fn follows_bracket(&self, at: usize) -> bool {
        self.text.get(..at).is_some_and(|before| before.trim_end().ends_with([']', '}']))
    }
}

const fn is_tab_error(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInIndentation
            | ErrorKind::TabAtBlockScalarStart
            | ErrorKind::TabInPlainScalar
    )
}

const fn is_escape_error(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::UnknownQuotedScalarEscape
            | ErrorKind::InvalidQuotedScalarHexEscape
            | ErrorKind::InvalidLowSurrogateHexEscape
            | ErrorKind::InvalidLowSurrogate
            | ErrorKind::MissingLowSurrogate
            | ErrorKind::UnpairedLowSurrogate
            | ErrorKind::InvalidUnicodeEscape
    )
}

pub fn fault(kind: YamlFaultKind, span: Span, message: impl Into<String>) -> YamlFault {
    YamlFault { kind, span, message: message.into(), help: None, edit: None }
}

fn too_deep(span: Span) -> YamlFault {
    fault(YamlFaultKind::Budget, span, format!("YAML nested more than {YAML_DEPTH} levels deep"))
        .help(TOO_MUCH)
}

/// The end of a collection: its bracket, or its last item for a block collection. The parser ends a
/// block only at the next token.
fn collection_span(start: Span, end_event: Span, last_item: usize) -> Span {
    let end = if end_event.start < end_event.end { end_event.end } else { last_item };
    Span::new(start.start, end.max(start.end))
}

fn resolve(text: Cow<'_, str>, style: ScalarStyle) -> Value<'_> {
    if style == ScalarStyle::Plain { plain_value(text) } else { Value::String(text) }
}

// Shared by all readers: types of plain values, and duplicate keys.

/// The YAML 1.2 core schema: only plain scalars can be anything but strings.
pub fn plain_value(text: Cow<'_, str>) -> Value<'_> {
    match text.as_ref() {
        // Most texts begin with a letter that no other type begins with.
        word if word.starts_with(is_plain_start) => Value::String(text),
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        other if is_number(other) => Value::Number(text),
        _ => Value::String(text),
    }
}

const fn is_plain_start(first: char) -> bool {
    first.is_ascii_alphabetic() && !matches!(first, 'n' | 'N' | 't' | 'T' | 'f' | 'F')
}

fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if let Some(digits) = text.strip_prefix("0x") {
        return !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return !digits.is_empty() && digits.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
    }
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    // Rust also reads `inf`, `nan` and `infinity`, which are words here.
    unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && unsigned.bytes().any(|byte| byte.is_ascii_digit())
        && unsigned.parse::<f64>().is_ok()
}

/// Replaces `<<: {…}` by its entries, except for existing keys.
pub fn merge(mapping: &mut Mapping<'_>) {
    let is_merge = |entry: &MappingEntry<'_>| entry.key.as_str() == Some("<<");
    let Some(at) = mapping.entries.iter().position(is_merge) else { return };
    let Value::Mapping(merged) = mapping.entries.remove(at).value.value else { return };
    for entry in merged.entries {
        let same = |other: &MappingEntry<'_>| other.key.scalar_text() == entry.key.scalar_text();
        if !mapping.entries.iter().any(same) {
            mapping.entries.push(entry);
        }
    }
}

/// Adds every repeated key of `mapping`.
pub fn collect_duplicates(mapping: &Mapping<'_>, duplicates: &mut Vec<Duplicate>) {
    // For small mappings, comparing pairs is faster than hashing.
    const SMALL: usize = 16;
    let entries = &mapping.entries;
    let mut report = |first: Span, key: &Node<'_>| {
        let name = key.scalar_text().to_owned();
        duplicates.push(Duplicate { key: name, first, again: key.span });
    };
    if entries.len() <= SMALL {
        for (index, entry) in entries.iter().enumerate() {
            if entry.key.is_collection() {
                continue;
            }
            let same =
                |other: &&MappingEntry<'_>| other.key.scalar_text() == entry.key.scalar_text();
            let mut others = entries[..index].iter().filter(|other| !other.key.is_collection());
            if let Some(first) = others.find(same) {
                report(first.key.span, &entry.key);
            }
        }
        return;
    }
    let mut seen: HashMap<&str, Span> = HashMap::new();
    for entry in entries.iter().filter(|entry| !entry.key.is_collection()) {
        let first = *seen.entry(entry.key.scalar_text()).or_insert(entry.key.span);
        if first != entry.key.span {
            report(first, &entry.key);
        }
    }
}

/// Adds the first repeated key of `mapping` that is a collection.
pub fn collect_duplicate_collections(mapping: &Mapping<'_>, duplicates: &mut Vec<Duplicate>) {
    // Every pair is compared, so the number is limited.
    const MOST_COMPARED: usize = 100;
    let keys = || mapping.entries.iter().take(MOST_COMPARED).map(|entry| &entry.key);
    let again = keys().enumerate().find_map(|(index, key)| {
        let first = keys().take(index).find(|first| first.is_collection() && first.means(key))?;
        Some(Duplicate { key: "[…]".to_owned(), first: first.span, again: key.span })
    });
    duplicates.extend(again);
}

// The anchors of a permissive reader, and checks that imitate an agent's own reader.

/// How many values aliases may repeat, against YAML bombs.
const MOST_REPEATED: usize = 1_000;

/// The anchors of a document, and the lenience of its reader.
pub struct Anchors<'a> {
    pub lenience: Lenience,
    values: HashMap<usize, Value<'a>>,
    repeated: usize,
}

impl<'a> Anchors<'a> {
    pub fn new(lenience: Lenience) -> Self {
        Self { lenience, values: HashMap::new(), repeated: 0 }
    }

    pub fn remember(&mut self, number: usize, value: &Value<'a>) {
        self.values.insert(number, value.clone());
    }

    /// The value of an alias. All aliases together may repeat a limited number of values.
    pub fn alias(&mut self, number: usize, span: Span) -> Result<Value<'a>, YamlFault> {
        let unknown = || fault(YamlFaultKind::Forbidden, span, "this alias stands for nothing");
        let value = self.values.get(&number).ok_or_else(unknown)?;
        self.repeated += value.count();
        if self.repeated > MOST_REPEATED {
            return Err(fault(YamlFaultKind::Budget, span, "YAML aliases that repeat too much"));
        }
        Ok(value.clone())
    }

    /// The text of a scalar without stand-ins.
    pub fn revealed(
        &self,
        text: Cow<'a, str>,
        quoted: bool,
        span: Span,
    ) -> Result<Cow<'a, str>, YamlFault> {
        let (text, has_control) = revealed(text);
        if has_control && !quoted && self.lenience.controls == Controls::InQuotes {
            return Err(fault(YamlFaultKind::Syntax, span, NO_CONTROLS));
        }
        Ok(text)
    }

    /// Refuses the anchor before `span` if the agent's reader does not accept its name.
    pub fn check_name(&self, text: &str, span: Span) -> Result<(), YamlFault> {
        let before = text.get(..span.start).unwrap_or_default();
        let name = before.rsplit('&').next().and_then(|rest| rest.split_whitespace().next());
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let is_good = name.is_some_and(|name| name.bytes().all(is_plain));
        if is_good || !self.lenience.plain_anchors {
            return Ok(());
        }
        Err(fault(YamlFaultKind::Syntax, span, "this anchor has no valid name"))
    }

    /// Refuses a value in brackets that the agent's reader expects to be indented more.
    pub fn check_brackets(
        &self,
        text: &str,
        key: &Node<'_>,
        value: &Node<'_>,
    ) -> Result<(), YamlFault> {
        let shallow = || shallow_line(text, key.span, value.span, self.lenience);
        match value.is_collection().then(shallow).flatten() {
            Some(span) => {
                Err(fault(YamlFaultKind::Syntax, span, "this must be indented more than its key"))
            }
            None => Ok(()),
        }
    }
}
