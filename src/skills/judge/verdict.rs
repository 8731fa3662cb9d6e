//! The verdict on a skill by itself, which every verb follows; `find` decides between several.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::skills::agents::readers::{AgentReading, RawSkill};
use crate::skills::agents::{AGENTS, Agent, listing, quirks};
use crate::skills::files::content::{Content, LinkEnd};
use crate::skills::judge::opened::OpenedSkill;
use crate::skills::judge::rule::{Finding, Rule, Severity, UnusableIn};
use crate::skills::judge::rules::{
    agent_compat, duplicate_name, missing_description, name_format, symlink, xml_in_description,
};
use crate::skills::model::error::{Error, ErrorKind};
use crate::skills::model::name::{self, SkillName};
use crate::skills::model::source::{Skill, SkillKind};
use crate::skills::text::document::{Document, SKILL_MD};
use crate::skills::text::quote::revealed;
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

impl Unusable {
    /// The error if a user named this skill. `done` is the participle of the verb.
    pub fn refusal(&self, name: &str, path: &Path, stored: SkillKind, done: &str) -> Error {
        let mut message = format!("Duplicate skill name: {name}");
        if !self.is_duplicate() {
            message = format!("`{name}` cannot be {done}: {self}");
        }
        let error = Error::new(self.kind(), message).at(path);
        Error { help: self.help.clone(), ..error.about(name, Some(stored.as_str())) }
    }

    /// The kind of that error.
    pub fn kind(&self) -> ErrorKind {
        self.rule.map_or(ErrorKind::Validation, |rule| rule.failure)
    }

    /// Whether it is one of several different skills of one name.
    pub fn is_duplicate(&self) -> bool {
        self.rule.is_some_and(|rule| rule.is(&duplicate_name::RULE))
    }
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
    /// Any of these, if there are any, and even if none of them loads it.
    Regardless(Vec<&'static Agent>),
}

impl TargetAgents {
    fn includes(&self, agent: &Agent) -> bool {
        match self {
            Self::Any => true,
            Self::These(agents) | Self::Regardless(agents) => agents.contains(&agent),
        }
    }
}

/// Why an agent cannot use a skill.
#[derive(Debug, Clone)]
pub struct Obstacle {
    pub reason: String,
    /// Whether the agent loads the skill, and must not.
    pub is_loaded: bool,
}

impl Obstacle {
    /// The obstacle in words: what agent, which skill.
    pub fn sentence(&self, agent: &Agent, skill: &str) -> String {
        let (title, reason) = (agent.title, &self.reason);
        match self.is_loaded {
            true => format!("{skill} is not usable for {title}: {reason}"),
            false => format!("{title} does not load {skill}: {reason}"),
        }
    }
}

/// A skill with its verdict, and the data a verb needs.
#[derive(Debug, Clone)]
pub struct Judged<T> {
    /// Its path and name.
    pub skill: Skill,
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
pub fn alone(opened: &OpenedSkill<'_>, findings: &[Finding], audience: &TargetAgents) -> Verdict {
    let document = opened.document;
    let enabled = document.and_then(|document| document.field("enabled"));
    if enabled.is_some_and(|node| node.value == Value::Bool(false)) {
        return Verdict::Disabled("`enabled: false`".to_owned());
    }
    let unusable = broken_rule(opened.skill, findings.iter(), document)
        .or_else(|| unreadable(opened.content))
        .or_else(|| nameless(opened.skill))
        .or_else(|| undescribed(opened.skill, document))
        .or_else(|| unloaded(opened.skill, document, audience));
    match (unusable, document.and_then(hiding_field)) {
        (Some(unusable), _) => Verdict::Invalid(unusable),
        (None, Some(key)) => Verdict::Hidden(format!("`{key}: true`")),
        (None, None) => Verdict::Active,
    }
}

/// Why a skill cannot be used for what the safety rules found in any of its files.
pub fn in_files(skill: &Skill, findings: &[Finding]) -> Option<Unusable> {
    broken_rule(skill, findings.iter().filter(|one| one.rule.is_safety()), None)
}

/// The ids of the safety rules among these errors, each once.
pub fn broken_safety_rules(opened: &OpenedSkill<'_>, findings: &[Finding]) -> Vec<&'static str> {
    let mut ids: Vec<&'static str> = Vec::new();
    for one in findings.iter().filter(|one| one.severity == Severity::Error) {
        let is_safety = one.rule.is_safety() || makes_unusable(opened.skill, one, opened.document);
        if is_safety && !ids.contains(&one.rule.id) {
            ids.push(one.rule.id);
        }
    }
    ids
}

/// The first finding that makes a skill unusable.
fn broken_rule<'f>(
    skill: &Skill,
    mut findings: impl Iterator<Item = &'f Finding>,
    document: Option<&Document<'_>>,
) -> Option<Unusable> {
    let found = findings.find(|one| makes_unusable(skill, one, document))?;
    let file = found.path.strip_prefix(&skill.path).unwrap_or(&found.path).to_string_lossy();
    let file = revealed(&file);
    let reason = match (found.place, found.path == skill.path) {
        (Some(place), _) => format!("{file}:{}: {}", place.start, found.message),
        (None, false) => format!("{file}: {}", found.message),
        (None, true) => found.message.clone(),
    };
    Some(Unusable { rule: Some(found.rule), reason, help: found.help.clone() })
}

/// Whether a skill with this finding must not be installed.
pub fn makes_unusable(skill: &Skill, finding: &Finding, document: Option<&Document<'_>>) -> bool {
    if finding.severity != Severity::Error {
        return false;
    }
    // A dangling link is left out of the copy.
    if finding.rule.is(&symlink::RULE) {
        let path = finding.path.strip_prefix(&skill.path).unwrap_or(&finding.path);
        return symlink::end_of(skill, path) == LinkEnd::Outside;
    }
    match (finding.rule.unusable, finding.place, document) {
        (UnusableIn::Nowhere, ..) => false,
        // Agents print the front matter and put it into prompts. Only models read the body.
        (UnusableIn::FrontMatter, Some(place), Some(document)) => {
            place.start.line <= document.head().slice(document.text).lines().count()
        }
        (UnusableIn::FrontMatter | UnusableIn::Anywhere, ..) => true,
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
        rule: Some(&name_format::RULE),
        reason: format!("`{}` is not a valid skill name: {error}", skill.name),
        help: Some(help),
    })
}

/// The error if a skill lacks the description that its directory demands.
fn undescribed(skill: &Skill, document: Option<&Document<'_>>) -> Option<Unusable> {
    let own = document
        .and_then(|one| one.string("description").or_else(|| one.lenient_field("description")));
    if !skill.needs_description || own.is_some_and(|text| !text.trim().is_empty()) {
        return None;
    }
    Some(Unusable {
        rule: Some(&missing_description::RULE),
        reason: "skills in this directory need a `description`".to_owned(),
        help: Some("add a `description` to its front matter".to_owned()),
    })
}

/// The error if no agent can use the skill.
fn unloaded(
    skill: &Skill,
    document: Option<&Document<'_>>,
    audience: &TargetAgents,
) -> Option<Unusable> {
    let mut obstacles = obstacles(&skill.name, document?)?;
    if matches!(audience, TargetAgents::Regardless(_)) {
        for obstacle in &mut obstacles {
            obstacle.take_if(|one| !one.is_loaded);
        }
    }
    let agents = || AGENTS.iter().zip(&obstacles);
    let mut meant = agents().filter(|(agent, _)| audience.includes(agent));
    let (agent, obstacle) = meant.next().and_then(|(agent, one)| Some((agent, one.as_ref()?)))?;
    if meant.any(|(_, obstacle)| obstacle.is_none()) {
        return None;
    }
    let rule = if obstacle.is_loaded { &xml_in_description::RULE } else { &agent_compat::RULE };
    let using: Vec<&str> =
        agents().filter(|(_, one)| one.is_none()).map(|(agent, _)| agent.title).collect();
    let (reason, help) = match using.as_slice() {
        [] => (format!("no agent loads it; {}: {}", agent.title, obstacle.reason), None),
        using => {
            let what = if obstacle.is_loaded { "can use" } else { "would load" };
            (obstacle.sentence(agent, "it"), Some(format!("{} {what} it", using.join(", "))))
        }
    };
    Some(Unusable { rule: Some(rule), reason, help })
}

/// Why each of [`AGENTS`] cannot use a skill, in their order; none if all of them can.
fn obstacles(name: &str, document: &Document<'_>) -> Option<[Option<Obstacle>; 6]> {
    let losses = quirks::losses_in(name, document);
    // Only an escape can produce a tag that does not stand in the front matter.
    let has_tags = document.head().slice(document.text).contains(['<', '\\']);
    if losses.is_none() && !has_tags {
        return None;
    }
    let mut losses = losses.unwrap_or_default().into_iter();
    let skill = RawSkill { directory: name, bytes: document.text.as_bytes() };
    let obstacles = AGENTS.each_ref().map(|agent| {
        if let Some(reason) = losses.next().flatten() {
            return Some(Obstacle { reason, is_loaded: false });
        }
        if agent.open_elements.is_empty() || !has_tags {
            return None;
        }
        let AgentReading::Listed(entry) = (agent.loading.read)(&skill) else { return None };
        let tag = listing::closing(&entry.description, agent.open_elements)?;
        let title = agent.title;
        let reason = format!("its description has `{tag}`, which {title} does not escape");
        Some(Obstacle { reason, is_loaded: true })
    });
    obstacles.iter().any(Option::is_some).then_some(obstacles)
}

/// Which of these agents cannot use a skill.
pub fn lost(
    skill: &Skill,
    document: &Document<'_>,
    chosen: &[&'static Agent],
) -> Vec<(&'static Agent, Obstacle)> {
    if chosen.is_empty() {
        return Vec::new();
    }
    let Some(obstacles) = obstacles(&skill.name, document) else { return Vec::new() };
    let chosen = AGENTS.iter().zip(obstacles).filter(|(agent, _)| chosen.contains(agent));
    chosen.filter_map(|(agent, obstacle)| Some((agent, obstacle?))).collect()
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
