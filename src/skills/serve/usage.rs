//! Which answers mean that a skill was used, so that people can count it.

use crate::skills::serve::answer::{McpAnswer, ToolAnswer, UsedSkill};
use crate::skills::show::events::{Event, EventContext, EventSource};

/// The events of an answer.
pub fn events(answer: &McpAnswer, source: &EventSource) -> Vec<Event> {
    let activated = |opened: &UsedSkill| Event::SkillActivated {
        skill_name: opened.name.clone(),
        skill_path: opened.path.clone(),
        bytes: opened.bytes,
        tokens: opened.tokens,
        common: EventContext::now(source),
    };
    match answer {
        McpAnswer::Content(_, Some(opened))
        | McpAnswer::Prompt(_, _, opened)
        | McpAnswer::Tool(ToolAnswer::Skill(_, opened)) => vec![activated(opened)],
        McpAnswer::Tool(ToolAnswer::Sections(sections)) => {
            let expanded = |(name, key): &(String, String)| Event::SkillExpanded {
                skill_name: name.clone(),
                skill_key: key.clone(),
                common: EventContext::now(source),
            };
            sections.skills.iter().map(expanded).collect()
        }
        _ => Vec::new(),
    }
}
