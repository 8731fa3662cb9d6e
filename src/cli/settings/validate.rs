//! Settings of `skills validate`.

use std::path::{Path, PathBuf};

use crate::cli::args::{self, FindingsFormat};
use crate::cli::context::Context;
use crate::skills::agents;
use crate::skills::find::lock;
use crate::skills::find::manifest::trust::Concerns;
use crate::skills::find::selection::Selection;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::{RepairScope, RuleOptions};
use crate::skills::judge::rules::{self, Level, Levels};
use crate::skills::model::error::{Result, err};

/// The word for hosts of the Model Context Protocol, which are not agents: nothing is installed for
/// them.
const MCP: &str = "mcp";

/// What is done about what can be repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repairs {
    /// Nothing.
    Report,
    /// Show them as a diff.
    Show,
    /// Make them.
    Make,
}

/// Settings of `skills validate`.
#[derive(Debug, Clone)]
pub struct ValidateSettings {
    /// Settings of every command.
    pub context: Context,
    /// Which skills.
    pub selection: Selection,
    /// How to judge them.
    pub options: JudgeOptions,
    /// How to print findings.
    pub format: FindingsFormat,
    /// Where to write that format, besides the terminal.
    pub output: Option<PathBuf>,
    /// What to do with repairs.
    pub repairs: Repairs,
    /// Which findings to repair.
    pub repair_scope: RepairScope,
    /// Content of the manifest that needs the user's consent.
    pub concerns: Concerns,
    /// Whether a `SKILL.md` comes from standard input instead.
    pub reads_stdin: bool,
    /// Check only skills that changed since this revision; an inner none stands for the default
    /// branch.
    pub changed: Option<Option<String>>,
    /// The file with known findings, or where to write it.
    pub baseline: Option<BaselineUse>,
    /// The manifest, and files that count besides the sources.
    pub companions: Vec<PathBuf>,
}

/// How to use a baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaselineUse {
    /// Leave out the findings in this file.
    Read(PathBuf),
    /// Write the findings of this run to this file.
    Write(PathBuf),
}

impl ValidateSettings {
    /// Resolves the flags of `skills validate`.
    pub fn resolve(args: &args::ValidateArgs, context: &Context) -> Result<Self> {
        let reads_stdin = reads_stdin(args)?;
        let manifest = crate::cli::settings::manifest(&args.selection, context)?;
        let manifest = manifest.as_ref();
        crate::cli::settings::check_expanded(&args.selection, manifest)?;
        let selection = crate::cli::settings::selection(&args.selection, manifest, true, context)?;
        let mut levels = crate::cli::settings::levels(manifest);
        for setting in &args.rules {
            set_level(setting, &mut levels)?;
        }
        let (hosts, named): (Vec<String>, Vec<String>) =
            args.agent.iter().cloned().partition(|word| word.eq_ignore_ascii_case(MCP));
        let agents = agents::find_all(&named)?;
        if args.diff.is_some() && args.format != FindingsFormat::Human {
            return Err(err!(Usage, "`--diff` prints a diff and needs `--format human`"));
        }
        if args.watch && args.format != FindingsFormat::Human {
            return Err(err!(Usage, "`--watch` shows text and needs `--format human`"));
        }
        if args.output.as_ref().is_some_and(|file| file.as_os_str() == "-") {
            return Err(err!(
                Usage,
                "`--output -` would mix the format with other text on standard output"
            )
            .help("omit `--output` to print only the format"));
        }
        Ok(Self {
            context: context.clone(),
            selection,
            options: JudgeOptions {
                rules: RuleOptions {
                    strict: args.strict,
                    agents,
                    mcp: !hosts.is_empty(),
                    deep: args.deep,
                    max_skill_bytes: crate::cli::settings::max_skill_bytes(manifest),
                },
                levels,
                directory: context.directory.clone(),
                ..JudgeOptions::default()
            },
            format: args.format,
            output: args.output.clone(),
            concerns: manifest.map(Concerns::of).unwrap_or_default(),
            reads_stdin,
            changed: args.changed.clone(),
            baseline: match (&args.baseline, &args.write_baseline) {
                (Some(path), _) => Some(BaselineUse::Read(path.clone())),
                (None, path) => path.clone().map(BaselineUse::Write),
            },
            companions: manifest
                .filter(|manifest| manifest.tree.is_none())
                .map(|manifest| vec![manifest.path.clone(), lock::beside(&manifest.path)])
                .unwrap_or_default(),
            repairs: match (args.fix, args.diff) {
                (Some(_), _) => Repairs::Make,
                (None, Some(_)) => Repairs::Show,
                (None, None) => Repairs::Report,
            },
            repair_scope: match args.fix.or(args.diff).flatten() {
                Some(args::MoreRepairs::All) => RepairScope::All,
                None => RepairScope::Faults,
            },
        })
    }
}

impl ValidateSettings {
    /// Where to write the baseline of this run.
    pub fn writes_baseline(&self) -> Option<&Path> {
        match &self.baseline {
            Some(BaselineUse::Write(path)) => Some(path),
            _ => None,
        }
    }
}

/// Whether `-` is the source.
fn reads_stdin(args: &args::ValidateArgs) -> Result<bool> {
    if !args.selection.sources.iter().any(|source| source.as_os_str() == "-") {
        return Ok(false);
    }
    let refused = |what: &str| {
        Err(err!(Usage, "`-` cannot be used with {what}")
            .help("`-` is one SKILL.md on standard input; name a file `./-`"))
    };
    match args {
        _ if args.selection.sources.len() > 1 => refused("other sources"),
        args::ValidateArgs { fix: Some(_), .. } => refused("`--fix`"),
        args::ValidateArgs { diff: Some(_), .. } => refused("`--diff`"),
        args::ValidateArgs { watch: true, .. } => refused("`--watch`"),
        args::ValidateArgs { changed: Some(_), .. } => refused("`--changed`"),
        _ => Ok(true),
    }
}

/// Reads `ID=LEVEL`.
fn set_level(setting: &str, levels: &mut Levels) -> Result<()> {
    let words = Level::WORDS.join(", ");
    let Some((id, word)) = setting.split_once('=') else {
        let help = format!("write `--rule {setting}=LEVEL`; a level is one of {words}");
        return Err(err!(Usage, "`--rule {setting}` has no level").help(help));
    };
    let rule = rules::find(id)?;
    let level = Level::parse(word).ok_or_else(|| {
        err!(Usage, "unknown level `{word}` for `{id}`").help(format!("a level is one of {words}"))
    })?;
    levels.set(rule, level);
    Ok(())
}
