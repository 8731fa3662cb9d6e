//! Where the skills of an agent are installed. [`TARGETS`] lists agents of which nothing else is
//! known, from published tables.

use crate::skills::agents::{AGENTS, Agent};
use crate::skills::model::environment::UserRoot;
use crate::skills::model::error::{Result, err};
use crate::skills::text::suggest;

/// Where an agent finds installed skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstallTarget {
    /// The word used in flags and JSON.
    pub id: &'static str,
    /// The directory below a project.
    pub project: &'static str,
    /// The directory of the user.
    pub user: UserRoot,
    /// Whether a user's skill is known to win over a project's.
    pub user_wins: bool,
}

pub const fn target(id: &'static str, project: &'static str, user: UserRoot) -> InstallTarget {
    InstallTarget { id, project, user, user_wins: false }
}

pub const fn home(below: &'static str) -> UserRoot {
    UserRoot::Home(below)
}

pub const fn variable(name: &'static str, fallback: &'static str, below: &'static str) -> UserRoot {
    UserRoot::Variable { name, fallback, below }
}

/// An agent by its id or alias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownAgent {
    /// Its behaviour was observed.
    Observed(&'static Agent),
    /// Only its directories are known.
    Target(&'static InstallTarget),
}

impl KnownAgent {
    /// Where its skills are installed.
    pub const fn target(self) -> &'static InstallTarget {
        match self {
            Self::Observed(agent) => &agent.target,
            Self::Target(target) => target,
        }
    }

    /// The agent, if its behaviour was observed.
    pub const fn observed(self) -> Option<&'static Agent> {
        match self {
            Self::Observed(agent) => Some(agent),
            Self::Target(_) => None,
        }
    }
}

/// Other names of agents in [`TARGETS`], from other installers and from their makers.
static ALIASES: [(&str, &str); 21] = [
    ("amp-code", "amp"),
    ("ampcode", "amp"),
    ("clawdbot", "openclaw"),
    ("cursor-agent", "cursor"),
    ("cursor-cli", "cursor"),
    ("factory", "droid"),
    ("goose-cli", "goose"),
    ("hermes", "hermes-agent"),
    ("iflow", "iflow-cli"),
    ("kilo-code", "kilo"),
    ("kimi-cli", "kimi-code-cli"),
    ("kiro", "kiro-cli"),
    ("letta-code", "letta"),
    ("moltbot", "openclaw"),
    ("native", "omp"),
    ("oh-my-pi", "omp"),
    ("qwen", "qwen-code"),
    ("roo-code", "roo"),
    ("tabnine", "tabnine-cli"),
    ("visual-studio-code", "vscode"),
    ("vs-code", "vscode"),
];

/// The id of an agent in [`TARGETS`] for this id or alias.
pub fn target_id(word: &str) -> Option<&'static str> {
    let wanted = word.to_lowercase();
    let alias = ALIASES.iter().find(|(alias, _)| *alias == wanted).map(|(_, id)| *id);
    let wanted = alias.unwrap_or(&wanted);
    TARGETS.iter().find(|target| target.id == wanted).map(|target| target.id)
}

/// The agent with this id or alias: the one list of names for every command.
pub fn find(word: &str) -> Result<KnownAgent> {
    if let Some(agent) = crate::skills::agents::observed(word) {
        return Ok(KnownAgent::Observed(agent));
    }
    let id = target_id(word);
    let target = id.and_then(|id| TARGETS.iter().find(|target| target.id == id));
    target.map(KnownAgent::Target).ok_or_else(|| {
        let error = err!(Usage, "unknown agent `{word}`");
        error.help(match suggest::nearest(word, ids()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known agents: {}", ids().collect::<Vec<_>>().join(", ")),
        })
    })
}

/// The agents with these ids or aliases, each once; [`ALL`](super::ALL) stands for those whose
/// behaviour was observed.
pub fn find_all(words: &[String]) -> Result<Vec<KnownAgent>> {
    let mut found: Vec<KnownAgent> = Vec::new();
    for word in words {
        let named: Vec<KnownAgent> = if word.eq_ignore_ascii_case(crate::skills::agents::ALL) {
            AGENTS.iter().map(KnownAgent::Observed).collect()
        } else {
            vec![find(word)?]
        };
        for agent in named {
            if !found.contains(&agent) {
                found.push(agent);
            }
        }
    }
    Ok(found)
}

/// All agents that skills can be installed for.
pub fn every() -> impl Iterator<Item = &'static InstallTarget> {
    AGENTS.iter().map(|agent| &agent.target).chain(TARGETS.iter())
}

/// The ids of all agents that skills can be installed for.
pub fn ids() -> impl Iterator<Item = &'static str> {
    AGENTS.iter().map(|agent| agent.id).chain(TARGETS.iter().map(|target| target.id))
}

/// All that are not in [`AGENTS`], by id.
pub static TARGETS: [InstallTarget; 73] = [
    target("adal", ".adal/skills", home(".adal/skills")),
    target("aider-desk", ".aider-desk/skills", home(".aider-desk/skills")),
    target("amp", ".agents/skills", variable("XDG_CONFIG_HOME", ".config", "agents/skills")),
    target("antigravity", ".agents/skills", home(".gemini/antigravity/skills")),
    target("antigravity-cli", ".agents/skills", home(".gemini/antigravity-cli/skills")),
    target("astrbot", "data/skills", home(".astrbot/data/skills")),
    target("augment", ".augment/skills", home(".augment/skills")),
    target("autohand-code", ".autohand/skills", variable("AUTOHAND_HOME", ".autohand", "skills")),
    target("bob", ".bob/skills", home(".bob/skills")),
    target("cline", ".agents/skills", home(".agents/skills")),
    target("codearts-agent", ".codeartsdoer/skills", home(".codeartsdoer/skills")),
    target("codebuddy", ".codebuddy/skills", home(".codebuddy/skills")),
    target("codemaker", ".codemaker/skills", home(".codemaker/skills")),
    target("codestudio", ".codestudio/skills", home(".codestudio/skills")),
    target("command-code", ".commandcode/skills", home(".commandcode/skills")),
    target("continue", ".continue/skills", home(".continue/skills")),
    target("cortex", ".cortex/skills", home(".snowflake/cortex/skills")),
    target("crush", ".crush/skills", home(".config/crush/skills")),
    target("cursor", ".agents/skills", home(".cursor/skills")),
    target("deepagents", ".agents/skills", home(".deepagents/agent/skills")),
    target("devin", ".devin/skills", variable("XDG_CONFIG_HOME", ".config", "devin/skills")),
    target("dexto", ".agents/skills", home(".agents/skills")),
    target("droid", ".agents/skills", home(".factory/skills")),
    target("firebender", ".agents/skills", home(".firebender/skills")),
    target("forgecode", ".forge/skills", home(".forge/skills")),
    target("fx", ".agents/skills", home(".agents/skills")),
    target("goose", ".agents/skills", home(".agents/skills")),
    target("grok", ".grok/skills", variable("GROK_HOME", ".grok", "skills")),
    target("hermes-agent", ".hermes/skills", variable("HERMES_HOME", ".hermes", "skills")),
    target("iflow-cli", ".iflow/skills", home(".iflow/skills")),
    target("inference-sh", ".inferencesh/skills", home(".inferencesh/skills")),
    target("jazz", ".jazz/skills", home(".jazz/skills")),
    target("junie", ".junie/skills", home(".junie/skills")),
    target("kilo", ".agents/skills", home(".kilo/skills")),
    target("kimchi", ".kimchi/skills", home(".config/kimchi/harness/skills")),
    target("kimi-code-cli", ".agents/skills", home(".agents/skills")),
    target("kiro-cli", ".kiro/skills", home(".kiro/skills")),
    target("kode", ".kode/skills", home(".kode/skills")),
    target("letta", ".agents/skills", home(".letta/skills")),
    target("lingma", ".lingma/skills", home(".lingma/skills")),
    target("loaf", ".agents/skills", home(".agents/skills")),
    target("mcpjam", ".mcpjam/skills", home(".mcpjam/skills")),
    target("minimax-code", ".minimax/skills", home(".minimax/skills")),
    target("mistral-vibe", ".vibe/skills", variable("VIBE_HOME", ".vibe", "skills")),
    target("moxby", ".moxby/skills", home(".moxby/skills")),
    target("mux", ".mux/skills", home(".mux/skills")),
    target("neovate", ".neovate/skills", home(".neovate/skills")),
    target("omp", ".omp/skills", home(".omp/agent/skills")),
    target("ona", ".ona/skills", home(".ona/skills")),
    target("openclaw", ".agents/skills", variable("OPENCLAW_STATE_DIR", ".openclaw", "skills")),
    target("openhands", ".openhands/skills", home(".openhands/skills")),
    target("pochi", ".pochi/skills", home(".pochi/skills")),
    target("posit-assistant", ".posit/assistant/skills", home(".posit/assistant/skills")),
    target("qoder", ".qoder/skills", home(".qoder/skills")),
    target("qoder-cn", ".qoder/skills", home(".qoder-cn/skills")),
    target("qwen-code", ".qwen/skills", home(".qwen/skills")),
    target("reasonix", ".reasonix/skills", home(".reasonix/skills")),
    target("replit", ".agents/skills", variable("XDG_CONFIG_HOME", ".config", "agents/skills")),
    target("roo", ".roo/skills", home(".roo/skills")),
    target("rovodev", ".rovodev/skills", home(".rovodev/skills")),
    target("sarvam-code", ".agents/skills", home(".agents/skills")),
    target("tabnine-cli", ".tabnine/agent/skills", home(".tabnine/agent/skills")),
    target("terramind", ".terramind/skills", home(".terramind/skills")),
    target("tinycloud", ".tinycloud/skills", home(".tinycloud/skills")),
    target("trae", ".trae/skills", home(".trae/skills")),
    target("trae-cn", ".trae/skills", home(".trae-cn/skills")),
    target("vscode", ".agents/skills", home(".agents/skills")),
    target("warp", ".agents/skills", home(".agents/skills")),
    target("windsurf", ".windsurf/skills", home(".codeium/windsurf/skills")),
    target("zcode", ".zcode/skills", home(".zcode/skills")),
    target("zed", ".agents/skills", home(".agents/skills")),
    target("zencoder", ".zencoder/skills", home(".zencoder/skills")),
    target("zenflow", ".zencoder/skills", home(".zencoder/skills")),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alias_leads_to_a_row_and_hides_none() {
        for (alias, id) in ALIASES {
            assert_eq!(find(alias).unwrap().target().id, id);
            assert!(!ids().any(|known| known == alias), "{alias}");
        }
        assert!(TARGETS.is_sorted_by_key(|target| target.id));
        assert!(ALIASES.is_sorted());
    }

    #[test]
    fn all_stands_for_the_observed_agents() {
        let words =
            |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(find_all(&words(&["all"])).unwrap().len(), AGENTS.len());
        let some = find_all(&words(&["cursor", "claude-code", "Cursor", "claude"])).unwrap();
        let ids: Vec<&str> = some.iter().map(|agent| agent.target().id).collect();
        assert_eq!(ids, ["cursor", "claude"]);
        assert!(find_all(&words(&["all", "bogus"])).is_err());
    }
}
