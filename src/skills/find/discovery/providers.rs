//! All known places for skills on a machine, as a table with one row per provider.
//!
//! A provider is a family of directories, not a program: several agents read `.agents/skills`.

use crate::skills::agents::table::{self, KnownAgent, TARGETS};
use crate::skills::agents::walk::WalkBounds;
use crate::skills::agents::{self, codex, copilot, gemini, opencode, pi};
use crate::skills::model::environment::{Climb, HomeRule, OutsideRule, UserRoot};
use crate::skills::model::error::{Result, err};
use crate::skills::model::scope::Scope;
use crate::skills::text::suggest;

/// A family of skills directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provider {
    /// The word used in flags and JSON.
    pub id: &'static str,
    pub aliases: &'static [&'static str],
    /// If two providers have a skill of one name, the higher priority wins; between equals, the
    /// earlier row.
    pub priority: u8,
    /// Directories of the user.
    pub user: &'static [UserRoot],
    /// Directories below a project.
    pub project: &'static [&'static str],
    /// Which directories above the current one count.
    pub climb: Climb,
    /// How its directories are searched.
    pub bounds: WalkBounds,
    /// Whether every directory in its directories should be a skill.
    pub promises: bool,
    /// Whether its own program ignores skills without a description.
    pub needs_description: bool,
}

/// Directories named with `--skills-dir` and under `discovery:`; they come after all others.
pub const CUSTOM: &str = "custom";

/// Skills of Claude's plugins; a registry says where they are.
pub const CLAUDE_PLUGINS: &str = "claude-plugins";

/// A provider without directories, as a default.
pub const NONE: Provider = Provider {
    id: "",
    aliases: &[],
    priority: 0,
    user: &[],
    project: &[],
    climb: Climb { home: HomeRule::Skipped, ..Climb::NONE },
    bounds: WalkBounds::FLAT,
    promises: false,
    needs_description: false,
};

const fn config(below: &'static str) -> UserRoot {
    UserRoot::Variable { name: "XDG_CONFIG_HOME", fallback: ".config", below }
}

/// Providers with their own priority. [`all`] adds the others.
static RANKED: [Provider; 15] = [
    Provider {
        id: "omp",
        aliases: &["native", "oh-my-pi"],
        priority: 100,
        user: &[UserRoot::Home(".omp/agent/skills")],
        project: &[".omp/skills"],
        climb: Climb::ALL,
        bounds: WalkBounds { directories: Some(2_000), ..WalkBounds::DEEP },
        needs_description: true,
        ..NONE
    },
    Provider {
        id: "claude",
        priority: 80,
        user: &[UserRoot::Variable {
            name: "CLAUDE_CONFIG_DIR",
            fallback: ".claude",
            below: "skills",
        }],
        project: &[".claude/skills"],
        climb: Climb { home: HomeRule::Ends, ..Climb::ALL },
        bounds: WalkBounds { hidden: true, ..WalkBounds::FLAT },
        promises: true,
        ..NONE
    },
    Provider { id: CLAUDE_PLUGINS, priority: 70, ..NONE },
    Provider {
        id: "agents",
        priority: 70,
        user: &[UserRoot::Home(".agents/skills"), UserRoot::Home(".agent/skills")],
        project: &[".agents/skills", ".agent/skills"],
        climb: Climb::ALL,
        bounds: WalkBounds::DEEP,
        promises: true,
        ..NONE
    },
    Provider {
        id: "codex",
        priority: 70,
        user: &[
            UserRoot::Variable { name: "CODEX_HOME", fallback: ".codex", below: "skills" },
            UserRoot::Variable { name: "CODEX_HOME", fallback: ".codex", below: "skills/.system" },
            UserRoot::Absolute("/etc/codex/skills"),
        ],
        project: &[".codex/skills"],
        climb: Climb { outside: OutsideRule::Here, ..Climb::ALL },
        bounds: codex::BOUNDS,
        ..NONE
    },
    Provider {
        id: "opencode",
        priority: 55,
        user: &[
            config("opencode/skills"),
            config("opencode/skill"),
            UserRoot::Home(".opencode/skills"),
            UserRoot::Home(".opencode/skill"),
            UserRoot::OnlyVariable { name: "OPENCODE_CONFIG_DIR", below: "skills" },
            UserRoot::OnlyVariable { name: "OPENCODE_CONFIG_DIR", below: "skill" },
        ],
        project: &[".opencode/skills", ".opencode/skill"],
        climb: Climb::ALL,
        bounds: opencode::BOUNDS,
        ..NONE
    },
    Provider {
        id: "github",
        priority: 30,
        project: &[".github/skills"],
        climb: Climb::ALL,
        bounds: copilot::BOUNDS,
        ..NONE
    },
    Provider {
        id: "copilot",
        priority: 30,
        user: &[UserRoot::Variable { name: "COPILOT_HOME", fallback: ".copilot", below: "skills" }],
        bounds: WalkBounds::ENDLESS,
        ..NONE
    },
    Provider {
        id: "gemini",
        priority: 30,
        user: &[UserRoot::Variable {
            name: "GEMINI_CLI_HOME",
            fallback: "",
            below: ".gemini/skills",
        }],
        project: &[".gemini/skills"],
        bounds: gemini::BOUNDS,
        ..NONE
    },
    Provider {
        id: "pi",
        priority: 30,
        user: &[UserRoot::Variable {
            name: "PI_CODING_AGENT_DIR",
            fallback: ".pi/agent",
            below: "skills",
        }],
        project: &[".pi/skills"],
        bounds: pi::BOUNDS,
        ..NONE
    },
    Provider {
        id: "goose",
        priority: 20,
        user: &[config("goose/skills"), config("agents/skills")],
        project: &[".goose/skills"],
        bounds: WalkBounds { hidden: true, ..WalkBounds::ENDLESS },
        ..NONE
    },
    Provider {
        id: "openclaw",
        priority: 20,
        user: &[
            UserRoot::Variable {
                name: "OPENCLAW_STATE_DIR",
                fallback: ".openclaw",
                below: "workspace/skills",
            },
            UserRoot::Variable {
                name: "OPENCLAW_STATE_DIR",
                fallback: ".openclaw",
                below: "skills",
            },
        ],
        bounds: WalkBounds::DEEP,
        ..NONE
    },
    Provider { id: "amp", priority: 20, user: &[config("amp/skills")], ..NONE },
    Provider {
        id: "cursor",
        priority: 20,
        user: &[UserRoot::Home(".cursor/skills")],
        project: &[".cursor/skills"],
        ..NONE
    },
    Provider {
        id: "omp-managed",
        priority: 5,
        user: &[UserRoot::Home(".omp/agent/managed-skills")],
        needs_description: true,
        ..NONE
    },
];

/// The priority of rows in [`TARGETS`]: lower than that of observed agents.
const TARGET_PRIORITY: u8 = 10;

/// Every provider, the highest priority first; between equals, in the order of the tables.
pub fn all() -> Vec<Provider> {
    // A directory has one owner: most rows of that table share `.agents/skills`.
    let owned = |path: &str| RANKED.iter().any(|provider| provider.project.contains(&path));
    let owned_root = |root: &UserRoot| RANKED.iter().any(|provider| provider.user.contains(root));
    let ranked = |id: &str| RANKED.iter().any(|provider| provider.id == id);
    let targets = TARGETS.iter().filter(|target| !ranked(target.id)).map(|target| Provider {
        id: target.id,
        priority: TARGET_PRIORITY,
        user: if owned_root(&target.user) { &[] } else { std::slice::from_ref(&target.user) },
        project: if owned(target.project) { &[] } else { std::slice::from_ref(&target.project) },
        ..NONE
    });
    let mut providers: Vec<Provider> = RANKED.iter().copied().chain(targets).collect();
    providers.sort_by_key(|provider| std::cmp::Reverse(provider.priority));
    providers
}

/// The providers that an agent's directories belong to, each with the level, or without one for both.
pub fn of_agent(agent: KnownAgent) -> Vec<(&'static str, Option<Scope>)> {
    let target = match agent {
        KnownAgent::Observed(agent) => {
            let places = agent.loading.places.iter();
            return places.map(|place| (place.provider, Some(place.root.scope()))).collect();
        }
        KnownAgent::Target(target) => target,
    };
    let mut found = Vec::new();
    for provider in all() {
        if provider.id == target.id {
            found.push((provider.id, None));
            continue;
        }
        if provider.project.contains(&target.project) {
            found.push((provider.id, Some(Scope::Project)));
        }
        if provider.user.contains(&target.user) {
            found.push((provider.id, Some(Scope::User)));
        }
    }
    found
}

/// The ids of providers with their own priority.
pub fn ranked() -> impl Iterator<Item = &'static str> {
    RANKED.iter().map(|provider| provider.id)
}

/// The id for a name or alias.
pub fn find(word: &str) -> Result<&'static str> {
    let wanted = word.to_lowercase();
    let is_ranked =
        |provider: &&Provider| provider.id == wanted || provider.aliases.contains(&&*wanted);
    let own = RANKED.iter().find(is_ranked).map(|provider| provider.id);
    let agent = || {
        let id = agents::observed(&wanted)?.id;
        RANKED.iter().find(|provider| provider.id == id).map(|provider| provider.id)
    };
    let target = || table::target_id(&wanted);
    let custom = || (wanted == CUSTOM).then_some(CUSTOM);
    own.or_else(agent).or_else(target).or_else(custom).ok_or_else(|| {
        let ids = || ranked().chain([CUSTOM]);
        let error = err!(Usage, "unknown source `{word}`");
        let known = format!("known sources: {}", ids().collect::<Vec<_>>().join(", "));
        let candidates = ids().chain(TARGETS.iter().map(|target| target.id));
        error.help(suggest::help(word, candidates, known))
    })
}
