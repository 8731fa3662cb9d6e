//! What a model that knows no skills is told: what the tools do, and which skills there are, in as
//! many words as there is room for.

use serde_json::{Value, json};

use super::{in_memory, written};
use crate::output::{count, prompt as prompts};
use crate::skills::serve::call::{OPEN_SECTIONS, OPEN_SKILL, READ_SKILL_FILE};
use crate::skills::serve::catalogue::Catalogue;
use crate::skills::show::layout::{CatalogueLine, Prompt};
use crate::skills::show::prompt::Section;

/// Characters of a description that are tried, from many to few, when there is no room for all.
const CUTS: [usize; 4] = [240, 160, 100, 60];

const INSTRUCTIONS: &str = "\
This server has Agent Skills: instructions for certain tasks, with the files they need.
When a task matches a skill, call `open_skill` with its name before you start, and follow it step by \
step. Read its files with `read_skill_file`.";

const OPEN: &str = "\
Opens an Agent Skill: instructions for a certain task, and the names of its files. When a task matches \
one of the skills, call this before you start, then follow the instructions. Without a name, it lists \
all skills.";

const READ: &str = "\
Reads a file of an Agent Skill that `open_skill` has named, such as a reference, a template or a \
script.";

const SECTIONS: &str = "\
Opens sections of the prompt that are summarized: whole workflows, or more skills. Use the keys that \
the summaries give.";

/// Where the skills are listed for models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CatalogPlace {
    /// In the description of a tool.
    Tool,
    /// In the instructions of the server.
    Instructions,
    /// Nowhere: `open_skill` without a name lists them.
    Nowhere,
}

/// How skills are told to clients that know none.
#[derive(Debug, Clone, Copy)]
pub struct CatalogWords {
    /// Where they are listed.
    pub place: CatalogPlace,
    /// The most characters of a description or of the instructions.
    pub budget: usize,
}

impl CatalogWords {
    /// What the server says about itself.
    pub(super) fn instructions(self, catalogue: &Catalogue) -> String {
        match self.place {
            CatalogPlace::Instructions => self.with_catalogue(INSTRUCTIONS, &catalogue.prompt()),
            CatalogPlace::Tool | CatalogPlace::Nowhere => INSTRUCTIONS.to_owned(),
        }
    }

    /// The tools, always in the same order.
    pub(super) fn tools(self, prompt: &Prompt) -> Value {
        let name = json!({
            "type": "string",
            "description": "Name of the skill, as it is listed",
        });
        let open = match self.place {
            CatalogPlace::Tool => self.with_catalogue(OPEN, prompt),
            CatalogPlace::Instructions | CatalogPlace::Nowhere => OPEN.to_owned(),
        };
        let path = json!({
            "type": "string",
            "description": "Path of the file below the skill, such as references/guide.md",
        });
        let mut tools = vec![
            tool(OPEN_SKILL, "Open a skill", &open, &json!({ "name": name }), &[]),
            tool(
                READ_SKILL_FILE,
                "Read a file of a skill",
                READ,
                &json!({ "name": name, "path": path }),
                &["name", "path"],
            ),
        ];
        if !prompt.sections.iter().all(Section::is_heading) {
            let keys = json!({
                "type": "array",
                "items": { "type": "string" },
                "minItems": 1,
                "description": "Keys of the sections, as their summaries give them",
            });
            let about = match self.place {
                CatalogPlace::Nowhere => SECTIONS.to_owned(),
                _ => self.with_sections(&prompt.sections),
            };
            let fields = json!({ "keys": keys });
            tools.push(tool(OPEN_SECTIONS, "Open sections", &about, &fields, &["keys"]));
        }
        Value::Array(tools)
    }

    /// A text with the catalogue behind it, as much of it as there is room for.
    fn with_catalogue(self, start: &str, prompt: &Prompt) -> String {
        if prompt.lines.is_empty() {
            return start.to_owned();
        }
        let room = self.budget.saturating_sub(start.chars().count() + 2);
        let fits = |text: &String| text.chars().count() <= room;
        let cut = |most: Option<usize>| catalogue(&prompt.lines, most);
        let tries = std::iter::once(cut(None)).chain(CUTS.iter().map(|most| cut(Some(*most))));
        let names = || names_of(&prompt.lines, room);
        let text = tries.chain([cut(Some(0))]).find(fits).unwrap_or_else(names);
        format!("{start}\n\n{text}")
    }

    /// The same with sections: all of them, else their first lines, else their keys.
    fn with_sections(self, sections: &[Section]) -> String {
        let room = self.budget.saturating_sub(SECTIONS.chars().count() + 2);
        let whole = in_memory(|out| {
            prompts::markdown(out, &Prompt { sections: sections.to_vec(), ..Prompt::default() })
        });
        if whole.chars().count() <= room {
            return format!("{SECTIONS}\n\n{whole}");
        }
        let line =
            |section: &Section| format!("- {}: {}", section.key, shortened(&section.title, 60));
        let lines: Vec<String> =
            sections.iter().filter(|section| !section.is_heading()).map(line).collect();
        format!("{SECTIONS}\n\n{}", some(&lines, "\n", room, "more section"))
    }
}

/// The catalogue for a model that asked for all of it.
pub(super) fn all_skills(prompt: &Prompt) -> String {
    let listed = Prompt { instructions: false, ..prompt.clone() };
    match written(&listed) {
        text if text.is_empty() => "There are no skills.".to_owned(),
        text => text,
    }
}

/// A catalogue in the words of `skills render --format markdown`, with descriptions of at most this
/// many characters.
fn catalogue(lines: &[CatalogueLine], most: Option<usize>) -> String {
    let line = |line: &CatalogueLine| CatalogueLine {
        name: line.name.clone(),
        description: match (&line.description, most) {
            (_, Some(0)) => None,
            (description, None) => description.clone(),
            (description, Some(most)) => {
                description.as_deref().map(|text| shortened(text, most).into_owned())
            }
        },
        location: None,
        section: None,
    };
    let lines = lines.iter().map(line).collect();
    written(&Prompt { lines, ..Prompt::default() })
}

/// As many names as there is room for, and how many more there are.
fn names_of(lines: &[CatalogueLine], room: usize) -> String {
    let names: Vec<String> = lines.iter().map(|line| line.name.clone()).collect();
    let heading = "Skills: ";
    format!("{heading}{}", some(&names, ", ", room.saturating_sub(heading.len()), "more skill"))
}

fn some(words: &[String], between: &str, room: usize, more: &str) -> String {
    const TAIL: usize = 32;
    let (mut text, mut used) = (String::new(), 0);
    for (at, word) in words.iter().enumerate() {
        let length = word.chars().count() + between.len();
        if used + length + TAIL > room && at + 1 < words.len() {
            text.push_str(&format!("and {}", count(words.len() - at, more)));
            return text;
        }
        used += length;
        text.push_str(word);
        if at + 1 < words.len() {
            text.push_str(between);
        }
    }
    text
}

/// The start of a text, to the end of a word.
fn shortened(text: &str, most: usize) -> std::borrow::Cow<'_, str> {
    let Some((end, _)) = text.char_indices().nth(most) else { return text.into() };
    let start = &text[..end];
    let start = start.rsplit_once(char::is_whitespace).map_or(start, |(words, _)| words);
    format!("{}…", start.trim_end_matches([',', ';', ':', '.'])).into()
}

fn tool(name: &str, title: &str, about: &str, properties: &Value, required: &[&str]) -> Value {
    json!({
        "name": name,
        "title": title,
        "description": about,
        "inputSchema": {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        },
        // Nothing is written, and nothing is run.
        "annotations": {
            "title": title,
            "readOnlyHint": true,
            "destructiveHint": false,
            "idempotentHint": true,
            "openWorldHint": false,
        },
        // Claude Code shows a model only the names of most tools; a catalogue must be seen.
        "_meta": { "anthropic/alwaysLoad": true },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(skills: usize) -> Prompt {
        let line = |number| CatalogueLine {
            name: format!("skill-{number}"),
            description: Some("Extract text from PDF files, fast. ".repeat(10)),
            location: Some("skill://x".to_owned()),
            section: None,
        };
        Prompt { lines: (0..skills).map(line).collect(), ..Prompt::default() }
    }

    #[test]
    fn the_catalogue_gets_shorter_as_it_has_more_skills() {
        let words = CatalogWords { place: CatalogPlace::Tool, budget: 2_000 };
        let mut last = usize::MAX;
        for skills in [1, 3, 5, 8, 12, 40, 100, 1_000, 10_000] {
            let text = words.with_catalogue(OPEN, &prompt(skills));
            let length = text.chars().count();
            assert!(length <= 2_000, "{length} for {skills}");
            let each = length / skills;
            assert!(each <= last, "{each} for {skills}");
            last = each;
            assert!(text.contains("skill-0"), "{text}");
            assert_eq!(text.contains("more skill"), skills >= 1_000, "{text}");
        }
    }

    #[test]
    fn descriptions_end_with_a_word() {
        assert_eq!(shortened("one two three", 20), "one two three");
        assert_eq!(shortened("one two, three", 9), "one two…");
        assert_eq!(shortened("ÄÖÜäöü", 3), "ÄÖÜ…");
    }
}
