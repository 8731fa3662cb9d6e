//! The verdict on a skill, which every verb follows.
//!
//! [`alone`] judges a skill by itself. Between skills of one name, the room that found them
//! decides.

use std::fmt;
use std::path::PathBuf;

use crate::skills::agents::{AGENTS, Agent, detect};
use crate::skills::files::content::Content;
use crate::skills::files::links::LinkEnd;
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::judge::rule::{Finding, Rule, Severity};
use crate::skills::judge::rules::{AGENT_COMPAT, NAME_FORMAT, SYMLINK, UNUSABLE, link_end};
use crate::skills::model::name::{self, SkillName};
use crate::skills::model::source::Skill;
use crate::skills::text::document::{Document, SKILL_MD};
use crate::skills::text::yaml::Value;

/// The verdict on a skill.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// It is used.
    Active,
    /// It is used, but this field hides it from models.
    Hidden(String),
    /// Another skill of its name is used instead.
    Shadowed(Shadow),
    /// This field in its front matter disables it.
    Disabled(String),
    /// It cannot be used.
    Invalid(Unusable),
}

/// The skill that is used instead of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shadow {
    /// Its file.
    pub by: PathBuf,
    /// Why it takes precedence.
    pub reason: String,
    /// The file of the first skill of this name with the same files, if there is one.
    pub copy_of: Option<PathBuf>,
}

impl Shadow {
    /// Whether the skill that is used has the same files.
    #[must_use]
    pub fn is_identical(&self) -> bool {
        self.copy_of.as_ref() == Some(&self.by)
    }
}

/// Why a skill cannot be used.
#[derive(Debug, Clone)]
pub struct Unusable {
    /// The rule it breaks, if any.
    pub rule: Option<&'static Rule>,
    /// The problem.
    pub reason: String,
    /// How to solve it.
    pub help: Option<String>,
}

impl fmt::Display for Unusable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rule {
            Some(rule) => write!(formatter, "{}: {}", rule.id, self.reason),
            None => formatter.write_str(&self.reason),
        }
    }
}

impl Verdict {
    /// The word for it in logs.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Hidden(_) => "hidden",
            Self::Shadowed(_) => "shadowed",
            Self::Disabled(_) => "disabled",
            Self::Invalid(_) => "invalid",
        }
    }

    /// Whether a skill competes with others of its name.
    #[must_use]
    pub const fn is_usable(&self) -> bool {
        matches!(self, Self::Active | Self::Hidden(_))
    }
}

/// The agents a skill is meant for.
#[derive(Debug, Clone, Default)]
pub enum TargetAgents {
    /// Any known agent.
    #[default]
    Any,
    /// Any of these.
    These(Vec<&'static Agent>),
    /// None: the skill is used even if no agent loads it.
    Nobody,
}

impl TargetAgents {
    fn includes(&self, agent: &Agent) -> bool {
        match self {
            Self::Any => true,
            Self::These(agents) => agents.iter().any(|one| one.id == agent.id),
            Self::Nobody => false,
        }
    }
}

/// A skill with its verdict, and the data a verb needs.
#[derive(Debug, Clone)]
pub struct Judged<T> {
    /// Its path and name.
    pub skill: Skill,
    /// The verdict.
    pub verdict: Verdict,
    /// The ids of the rules it breaks with errors, each once.
    pub rules: Vec<&'static str>,
    /// The data of the verb.
    pub made: T,
}

impl<T> Judged<T> {
    /// Judges an opened skill by its findings.
    pub fn new(
        opened: &OpenedSkill<'_>,
        findings: &[Finding],
        audience: &TargetAgents,
        made: T,
    ) -> Self {
        let mut rules: Vec<&'static str> = Vec::new();
        for finding in findings.iter().filter(|finding| finding.severity == Severity::Error) {
            if !rules.contains(&finding.rule.id) {
                rules.push(finding.rule.id);
            }
        }
        let verdict = alone(opened, findings, audience);
        Self { skill: opened.skill.clone(), verdict, rules, made }
    }
}

/// The verdict on a skill if no other has its name.
#[must_use]
pub fn alone(opened: &OpenedSkill<'_>, findings: &[Finding], audience: &TargetAgents) -> Verdict {
    let document = opened.document;
    let enabled = document.and_then(|document| document.field("enabled"));
    if enabled.is_some_and(|node| node.value == Value::Bool(false)) {
        return Verdict::Disabled("`enabled: false`".to_owned());
    }
    let unusable = broken_rule(opened.skill, findings, document)
        .or_else(|| unreadable(opened.content))
        .or_else(|| nameless(opened.skill))
        .or_else(|| unloaded(opened.skill, document, audience));
    match (unusable, document.and_then(hiding_field)) {
        (Some(unusable), _) => Verdict::Invalid(unusable),
        (None, Some(key)) => Verdict::Hidden(format!("`{key}: true`")),
        (None, None) => Verdict::Active,
    }
}

/// The first finding that makes a skill unusable.
fn broken_rule(
    skill: &Skill,
    findings: &[Finding],
    document: Option<&Document<'_>>,
) -> Option<Unusable> {
    let found = findings.iter().find(|one| makes_unusable(skill, one, document))?;
    let file = found.path.strip_prefix(&skill.path).unwrap_or(&found.path).display();
    let reason = match (found.place, found.path == skill.path) {
        (Some(place), _) => format!("{file}:{}: {}", place.start, found.message),
        (None, false) => format!("{file}: {}", found.message),
        (None, true) => found.message.clone(),
    };
    Some(Unusable { rule: Some(found.rule), reason, help: found.help.clone() })
}

/// Whether a skill with this finding must not be installed.
#[must_use]
pub fn makes_unusable(skill: &Skill, finding: &Finding, document: Option<&Document<'_>>) -> bool {
    if finding.severity != Severity::Error {
        return false;
    }
    // A dangling link is left out of the copy.
    if finding.rule.is(SYMLINK) {
        let path = finding.path.strip_prefix(&skill.path).unwrap_or(&finding.path);
        return link_end(skill, path) == LinkEnd::Outside;
    }
    let Some((_, anywhere)) = UNUSABLE.iter().find(|(rule, _)| rule.is(finding.rule)) else {
        return false;
    };
    // Agents print the front matter and put it into prompts. Only models read the body.
    *anywhere
        || match (finding.place, document) {
            (Some(place), Some(document)) => {
                place.start.line <= document.head().slice(document.text).lines().count()
            }
            _ => true,
        }
}

fn unreadable(content: &Content) -> Option<Unusable> {
    let reason = match content {
        Content::Unreadable(reason) => reason.clone(),
        // No agent reads UTF-16.
        Content::NotUtf8 { utf16: true, .. } => format!("`{SKILL_MD}` is UTF-16, not UTF-8"),
        _ => return None,
    };
    Some(Unusable { rule: None, reason, help: None })
}

/// The error if a skill has no valid name.
fn nameless(skill: &Skill) -> Option<Unusable> {
    if SkillName::is_valid(&skill.name) {
        return None;
    }
    let error = SkillName::new(&skill.name).err()?;
    let help = match name::suggest(&skill.name) {
        Some(near) => format!("rename it to `{near}`, or give it a `name` in a skills.yaml"),
        None => "give it a `name` in a skills.yaml".to_owned(),
    };
    Some(Unusable {
        rule: Some(NAME_FORMAT),
        reason: format!("`{}` is not a valid skill name: {error}", skill.name),
        help: Some(help),
    })
}

/// The error if no agent loads the skill.
fn unloaded(
    skill: &Skill,
    document: Option<&Document<'_>>,
    audience: &TargetAgents,
) -> Option<Unusable> {
    if matches!(audience, TargetAgents::Nobody) {
        return None;
    }
    let losses = detect::losses_in(&skill.name, document?)?;
    let agents = || AGENTS.iter().zip(&losses);
    let mut meant = agents().filter(|(agent, _)| audience.includes(agent)).peekable();
    let (first, reason) = (*meant.peek()?, meant.peek()?.1.clone()?);
    if meant.any(|(_, loss)| loss.is_none()) {
        return None;
    }
    let loading: Vec<&str> =
        agents().filter(|(_, loss)| loss.is_none()).map(|(agent, _)| agent.title).collect();
    let title = first.0.title;
    let (reason, help) = if loading.is_empty() {
        (format!("no agent loads it; {title}: {reason}"), None)
    } else {
        let loading = loading.join(", ");
        (format!("{title} does not load it: {reason}"), Some(format!("{loading} would load it")))
    };
    Some(Unusable { rule: Some(AGENT_COMPAT), reason, help })
}

/// Which of these agents do not load a skill, each with the reason.
#[must_use]
pub fn losses(
    skill: &Skill,
    document: &Document<'_>,
    chosen: &[&'static Agent],
) -> Vec<(&'static Agent, String)> {
    if chosen.is_empty() {
        return Vec::new();
    }
    let Some(losses) = detect::losses_in(&skill.name, document) else { return Vec::new() };
    let chosen = AGENTS.iter().zip(losses).filter(|(agent, _)| chosen.contains(agent));
    chosen.filter_map(|(agent, loss)| Some((agent, loss?))).collect()
}

/// The field that hides a skill from models.
fn hiding_field(document: &Document<'_>) -> Option<&'static str> {
    let is_true = |key: &&str| {
        document.field(key).is_some_and(|node| match &node.value {
            Value::Bool(value) => *value,
            // Claude accepts these as true.
            Value::String(text) => matches!(text.as_ref(), "true" | "yes"),
            _ => false,
        })
    };
    ["disable-model-invocation", "hide"].into_iter().find(is_true)
}
