//! Where events go, and which prompt and session they belong to.

use std::path::PathBuf;

use crate::cli::args::EventArgs;
use crate::cli::context::Context;
use crate::skills::model::error::{Result, err};
use crate::skills::show::events::EventSource;
use crate::skills::text::unicode::is_unprintable;

/// The longest name of a prompt or session, in characters.
const MOST_CHARS: usize = 256;

/// Where events go, and the source they name.
#[derive(Debug, Clone)]
pub struct EventSettings {
    /// The file, if events are wanted.
    pub file: Option<PathBuf>,
    /// The prompt and the session.
    pub source: EventSource,
}

impl EventSettings {
    /// Resolves the flags of a verb, then the environment. Refuses standard output if a program or
    /// a shell reads it, because events would get mixed in.
    ///
    /// # Errors
    /// Events to a standard output that a program reads, and names that are not plain text.
    pub fn resolve(
        args: &EventArgs,
        verb: &str,
        is_for_machines: bool,
        context: &Context,
    ) -> Result<Self> {
        if is_for_machines && args.events.as_ref().is_some_and(|file| file.as_os_str() == "-") {
            return Err(err!(
                Usage,
                "`--events -` would mix events with the result on standard output"
            )
            .help("write the events to a file"));
        }
        let default = EventSource::of_verb(verb);
        let named = |flag: &str, value: &Option<String>, variable: &str| match value {
            Some(value) => plain(flag, value).map(Some),
            // Without a log, the variables do not matter.
            None if args.events.is_none() => Ok(None),
            None => {
                let value = context.environment.variable(variable);
                value.map(|value| plain(variable, &value.to_string_lossy())).transpose()
            }
        };
        let prompt_ns = named("--prompt-ns", &args.prompt_ns, "SKILLS_PROMPT_NS")?;
        let prompt_key = named("--prompt-key", &args.prompt_key, "SKILLS_PROMPT_KEY")?;
        let source = EventSource {
            prompt_ns: prompt_ns.unwrap_or(default.prompt_ns),
            prompt_key: prompt_key.unwrap_or(default.prompt_key),
            session_id: named("--session-id", &args.session_id, "SKILLS_SESSION_ID")?,
        };
        Ok(Self { file: args.events.clone(), source })
    }
}

/// A name that is safe in a log.
fn plain(what: &str, text: &str) -> Result<String> {
    let is_plain = !text.trim().is_empty()
        && text.chars().count() <= MOST_CHARS
        && !text.chars().any(|one| is_unprintable(one) || matches!(one, '\n' | '\t'));
    if is_plain {
        return Ok(text.to_owned());
    }
    Err(err!(Usage, "`{what}` must be one line of 1 to {MOST_CHARS} characters"))
}
