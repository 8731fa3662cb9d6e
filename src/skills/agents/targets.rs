//! Where the skills of an agent are installed. The table has agents of which only this is known,
//! from published tables.

use super::AGENTS;
use crate::skills::model::environment::UserRoot;
use crate::skills::model::error::{Error, ErrorKind, Result};
use crate::skills::text::similar;

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

pub(super) const fn target(
    id: &'static str,
    project: &'static str,
    user: UserRoot,
) -> InstallTarget {
    InstallTarget { id, project, user, user_wins: false }
}

pub(super) const fn home(below: &'static str) -> UserRoot {
    UserRoot::Home(below)
}

pub(super) const fn variable(
    name: &'static str,
    fallback: &'static str,
    below: &'static str,
) -> UserRoot {
    UserRoot::Variable { name, fallback, below }
}

/// Where skills of the agent with this id or alias are installed.
///
/// # Errors
/// Suggests the nearest, or lists all.
pub fn find(word: &str) -> Result<&'static InstallTarget> {
    let wanted = word.to_lowercase();
    let observed = AGENTS
        .iter()
        .find(|agent| agent.id == wanted || agent.aliases.contains(&wanted.as_str()))
        .map(|agent| &agent.target);
    observed.or_else(|| TARGETS.iter().find(|target| target.id == wanted)).ok_or_else(|| {
        let error = Error::new(ErrorKind::Usage, format!("unknown agent `{word}`"));
        error.help(match similar::nearest(word, ids()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known agents: {}", ids().collect::<Vec<_>>().join(", ")),
        })
    })
}

/// The ids of all agents that skills can be installed for.
pub fn ids() -> impl Iterator<Item = &'static str> {
    AGENTS.iter().map(|agent| agent.id).chain(TARGETS.iter().map(|target| target.id))
}

/// All that are not in [`AGENTS`], by id.
pub static TARGETS: [InstallTarget; 68] = [
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
    target("lingma", ".lingma/skills", home(".lingma/skills")),
    target("loaf", ".agents/skills", home(".agents/skills")),
    target("mcpjam", ".mcpjam/skills", home(".mcpjam/skills")),
    target("minimax-code", ".minimax/skills", home(".minimax/skills")),
    target("mistral-vibe", ".vibe/skills", variable("VIBE_HOME", ".vibe", "skills")),
    target("moxby", ".moxby/skills", home(".moxby/skills")),
    target("mux", ".mux/skills", home(".mux/skills")),
    target("neovate", ".neovate/skills", home(".neovate/skills")),
    target("ona", ".ona/skills", home(".ona/skills")),
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
    target("warp", ".agents/skills", home(".agents/skills")),
    target("windsurf", ".windsurf/skills", home(".codeium/windsurf/skills")),
    target("zcode", ".zcode/skills", home(".zcode/skills")),
    target("zed", ".agents/skills", home(".agents/skills")),
    target("zencoder", ".zencoder/skills", home(".zencoder/skills")),
    target("zenflow", ".zencoder/skills", home(".zencoder/skills")),
];
