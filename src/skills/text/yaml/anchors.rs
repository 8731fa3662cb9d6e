//! The anchors of a permissive reader, and checks that imitate an agent's own reader.

use std::borrow::Cow;
use std::collections::HashMap;

use super::dialect::{revealed, shallow_line};
use super::reader::{NO_CONTROLS, fault};
use super::{Controls, Lenience, Node, Value, YamlFault, YamlFaultKind};
use crate::skills::text::position::Span;

/// How many values aliases may repeat, against YAML bombs.
const MOST_REPEATED: usize = 1_000;

/// The anchors of a document, and the lenience of its reader.
pub(super) struct Anchors<'a> {
    pub(super) lenience: Lenience,
    values: HashMap<usize, Value<'a>>,
    repeated: usize,
}

impl<'a> Anchors<'a> {
    pub(super) fn new(lenience: Lenience) -> Self {
        Self { lenience, values: HashMap::new(), repeated: 0 }
    }

    pub(super) fn remember(&mut self, number: usize, value: &Value<'a>) {
        self.values.insert(number, value.clone());
    }

    /// The value of an alias. All aliases together may repeat a limited number of values.
    pub(super) fn alias(&mut self, number: usize, span: Span) -> Result<Value<'a>, YamlFault> {
        let unknown = || fault(YamlFaultKind::Forbidden, span, "this alias stands for nothing");
        let value = self.values.get(&number).ok_or_else(unknown)?;
        self.repeated += value.count();
        if self.repeated > MOST_REPEATED {
            return Err(fault(YamlFaultKind::Budget, span, "YAML aliases that repeat too much"));
        }
        Ok(value.clone())
    }

    /// The text of a scalar without stand-ins.
    pub(super) fn revealed(
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
    pub(super) fn check_name(&self, text: &str, span: Span) -> Result<(), YamlFault> {
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
    pub(super) fn check_brackets(
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
