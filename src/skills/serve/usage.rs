//! Which answers mean that a skill was used, so that people can count it.

use crate::skills::serve::answer::{Answer, Opened, ToolAnswer};
use crate::skills::show::events::{Event, EventContext, EventSource};

/// The events of an answer.
#[must_use]
pub fn events(answer: &Answer, source: &EventSource) -> Vec<Event> {
    let activated = |opened: &Opened| Event::SkillActivated {
        skill_name: opened.name.clone(),
        skill_path: opened.path.clone(),
        common: EventContext::now(source),
    };
    match answer {
        Answer::Content(_, Some(opened))
        | Answer::Prompt(_, _, opened)
        | Answer::Tool(ToolAnswer::Skill(_, opened)) => vec![activated(opened)],
        Answer::Tool(ToolAnswer::Sections(sections)) => {
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
