//! The flags of each verb, with its examples.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::cli::args::{
    EventArgs, NetworkArgs, SelectionArgs, agent_values, judged_agent_values, level_values,
    source_values, target_values,
};
use crate::skills::text::size;

/// `skills cache`
#[derive(Debug, Args)]
#[command(
    after_help = "The cache has what was fetched: git repositories, archives, and artifacts of sites and \
    registries.\nAll of it can be fetched again. What another run is using stays.\n\nExamples:\n  \
    skills cache                         show what is in the cache\n  \
    skills cache clean                   empty it\n  \
    skills cache clean --older-than 30d  remove what was not used lately\n  \
    skills cache clean --max-size 1GiB   remove the least recently used"
)]
pub struct CacheArgs {
    /// What to do [default: show what is in the cache]
    #[arg(value_enum, value_name = "ACTION")]
    pub action: Option<CacheAction>,
    /// Remove what was not used for this long, such as 12h or 30d
    #[arg(long, value_name = "AGE", value_parser = age_value, requires = "action")]
    pub older_than: Option<Duration>,
    /// Remove what was used least recently, until this much is left
    #[arg(long, value_name = "SIZE", value_parser = size_value, requires = "action")]
    pub max_size: Option<u64>,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: ReportFormat,
}

/// What to do with the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CacheAction {
    /// Remove entries; all of them without --older-than and --max-size
    Clean,
}

// The flags of `skills install`, `skills remove` and `skills verify`.

/// `skills install`
#[derive(Debug, Args)]
#[command(after_help = "Without --agent, --home and --dir, skills go to ~/.claude/skills.\n\n\
    Examples:\n  \
    skills install ./skills                          install all, for Claude\n  \
    skills install ./skills --agent codex --dry-run  show the plan for Codex\n  \
    skills install ./pdf --scope project             use this repository\n  \
    skills install ./skills --home \"$tmp\"            use another home\n  \
    skills install team/skills@pdf                   fetch one skill from GitHub\n  \
    skills install gh:team/skills/pdf@v1.2           fetch a path and a revision\n  \
    skills install ./pdf --link                      link to a skill in progress\n  \
    skills install --frozen                          use skills.lock\n  \
    skills install ./skills --force                  replace what differs")]
pub struct InstallArgs {
    /// Which skills.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Give the only skill of SOURCES this name
    #[arg(long, value_name = "NAME", help_heading = "Installing")]
    pub name: Option<String>,
    /// Where they go.
    #[command(flatten)]
    pub destination: DestinationArgs,
    /// How they get there.
    #[command(flatten)]
    pub apply: ApplyArgs,
    /// Link to the skills instead of copying them, for writing them
    #[arg(
        long,
        help_heading = "Installing",
        conflicts_with_all = ["frozen", "read_only", "follow_symlinks"]
    )]
    pub link: bool,
    /// How skills are read.
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Let the manifest lower rules that find hidden text
    #[arg(long, help_heading = "Behaviour")]
    pub trust_manifest: bool,
}

/// How skills are read before they are copied.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Installing")]
pub struct ReadingArgs {
    /// Include skills nested inside other skills
    #[arg(long)]
    pub nested: bool,
    /// Fail if any skill would be skipped
    #[arg(long)]
    pub no_skip: bool,
    /// Fail on any error that `skills validate` reports
    #[arg(long, conflicts_with = "no_validate")]
    pub strict: bool,
    /// Skip all rules except the safety rules
    #[arg(long)]
    pub no_validate: bool,
    /// Copy the targets of links that stay inside the source
    #[arg(long)]
    pub follow_symlinks: bool,
    /// Make the copies read-only
    #[arg(long)]
    pub read_only: bool,
    /// Maximum size of one skill [default: 10MiB]
    #[arg(long, value_name = "SIZE", value_parser = size_value)]
    pub max_skill_size: Option<u64>,
    /// Maximum size of all skills together [default: 50MiB]
    #[arg(long, value_name = "SIZE", value_parser = size_value)]
    pub max_total_size: Option<u64>,
    /// What is logged.
    #[command(flatten)]
    pub events: EventArgs,
}

/// `--force` replaces nothing here.
const REMOVE_FORCE: &str =
    "Remove skills that were edited or come from elsewhere, and keep a backup";

/// `skills remove`
#[derive(Debug, Args)]
#[command(
    after_help = "Refuses skills that were edited or that skills did not install; --force removes \
    them and keeps a backup.\n\nExamples:\n  \
    skills remove pdf                    remove it from ~/.claude/skills\n  \
    skills remove pdf csv --agent codex  remove both from ~/.agents/skills\n  \
    skills remove pdf --agent all        remove it for every agent\n  \
    skills remove 'team-*' --dry-run     show what a glob would remove\n  \
    skills remove --all                  remove all that skills installed there",
    mut_arg("force", |force| force.help(REMOVE_FORCE)),
)]
pub struct RemoveArgs {
    /// Names of installed skills, or globs such as 'team-*'
    #[arg(value_name = "NAMES", required_unless_present = "all")]
    pub names: Vec<String>,
    /// Remove all skills that skills installed there
    #[arg(long, conflicts_with = "names")]
    pub all: bool,
    /// Where they are.
    #[command(flatten)]
    pub destination: DestinationArgs,
    /// How they go.
    #[command(flatten)]
    pub apply: ApplyArgs,
}

/// `skills verify`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    skills verify                  check ~/.claude/skills against its record\n  \
    skills verify --format json    print JSON; exit code 1 if anything differs")]
pub struct VerifyArgs {
    /// Names of installed skills [default: all]
    #[arg(value_name = "NAMES")]
    pub names: Vec<String>,
    /// Where they are.
    #[command(flatten)]
    pub destination: DestinationArgs,
    /// Also compare with the lock of this manifest [default: skills.yaml, if it has a lock]
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
    /// Require every locked skill to be installed exactly as locked
    #[arg(long)]
    pub frozen: bool,
    /// How servers are asked.
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: ReportFormat,
}

/// Where skills are installed.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Destination")]
pub struct DestinationArgs {
    /// Use the skills directory of this agent: codex, A,B or all [default: claude]
    #[arg(
        short,
        long,
        value_name = "AGENT",
        value_delimiter = ',',
        value_parser = target_values(),
        hide_possible_values = true,
        conflicts_with = "dir"
    )]
    pub agent: Vec<String>,
    /// Use the skills directory of the user or of the current repository [default: user]
    #[arg(long, value_enum, value_name = "SCOPE", conflicts_with = "dir")]
    pub scope: Option<ScopeArg>,
    /// Use the skills directory of the user, as --scope user
    #[arg(short, long, conflicts_with = "dir")]
    pub global: bool,
    /// Use DIR as the home directory
    #[arg(long, value_name = "DIR", conflicts_with = "dir")]
    pub home: Option<PathBuf>,
    /// Use DIR as the skills directory, whichever agent reads it
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

impl DestinationArgs {
    /// The scope that is chosen, with either flag.
    pub fn scope(&self) -> Option<ScopeArg> {
        if self.global { Some(ScopeArg::User) } else { self.scope }
    }
}

/// Whose skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScopeArg {
    /// The user, in every project
    User,
    /// The current git repository, or the current directory outside of one
    Project,
}

/// What install and remove have in common.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Behaviour")]
pub struct ApplyArgs {
    /// Show what would happen, and write nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Replace skills that differ, were edited or come from elsewhere; back up edited ones
    #[arg(long)]
    pub force: bool,
    /// Accept this flag from scripts for other installers; skills never asks
    #[arg(short, long)]
    pub yes: bool,
    /// Do not wait until the files have reached the disk
    #[arg(long)]
    pub no_sync: bool,
    /// Wait at most this long for another run to finish
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "60",
        value_parser = seconds_value,
        allow_negative_numbers = true
    )]
    pub lock_timeout: Duration,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: ReportFormat,
}

/// How reports are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Text, one line per skill
    #[default]
    Human,
    /// JSON document, version 1
    Json,
}

pub fn size_value(text: &str) -> Result<u64, String> {
    size::parse(text).ok_or_else(|| "write a size such as 10MiB, 512KB or 1048576".to_owned())
}

pub fn seconds_value(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.strip_suffix('s').unwrap_or(text).parse().ok();
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "write a number of seconds, such as 30 or 0.5".to_owned())
}

// The flags of `skills list` and `skills read`.

/// `skills list`
#[derive(Debug, Args)]
#[command(
    after_help = "Without sources and skills.yaml, lists the skills that agents find on this machine.\n\nExamples:\n  \
    skills list                       list all, and what shadows what\n  \
    skills list --agent claude -v     list what Claude shows its model\n  \
    skills list ./skills --long       show sizes, tokens and digests\n  \
    skills list ./skills --tools      list the tools that they ask for\n  \
    skills list --source claude:user  list only ~/.claude/skills"
)]
pub struct ListArgs {
    /// Which skills.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Where to look when no source is given.
    #[command(flatten)]
    pub discovery: DiscoveryArgs,
    /// List exactly what this agent shows its model, or the directories of several: A,B or all
    #[arg(
        short,
        long,
        value_name = "AGENT",
        value_delimiter = ',',
        value_parser = target_values(),
        hide_possible_values = true,
        help_heading = "Discovery",
        conflicts_with_all = ["max_depth", "exclude", "skills_dir"]
    )]
    pub agent: Vec<String>,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: SkillFormat,
    /// Also show version, license, files, bytes, tokens, path and digest; with json, all fields
    #[arg(short, long, help_heading = "Output")]
    pub long: bool,
    /// List the tools that the skills ask for instead of the skills
    #[arg(long, help_heading = "Output", conflicts_with = "long")]
    pub tools: bool,
}

/// Where skills are looked for when no source is given.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Discovery")]
pub struct DiscoveryArgs {
    /// Use the skills that agents find on this machine, even if skills.yaml exists
    #[arg(long, conflicts_with = "sources")]
    pub discover: bool,
    /// Search only these providers: claude, agents:project, … (repeatable)
    #[arg(
        long,
        value_name = "SOURCE[:SCOPE]",
        value_delimiter = ',',
        conflicts_with = "sources",
        hide_possible_values = true,
        value_parser = source_values()
    )]
    pub source: Vec<String>,
    /// Skip these providers (repeatable)
    #[arg(
        long,
        value_name = "SOURCE[:SCOPE]",
        value_delimiter = ',',
        conflicts_with = "sources",
        hide_possible_values = true,
        value_parser = source_values()
    )]
    pub no_source: Vec<String>,
    /// Also search DIR, one level deep (repeatable)
    #[arg(long, value_name = "DIR", conflicts_with = "sources")]
    pub skills_dir: Vec<PathBuf>,
}

impl DiscoveryArgs {
    /// Whether a flag asks for discovery.
    pub fn is_asked(&self) -> bool {
        self.discover
            || !self.source.is_empty()
            || !self.no_source.is_empty()
            || !self.skills_dir.is_empty()
    }
}

/// How skills are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum SkillFormat {
    /// Table
    #[default]
    Human,
    /// JSON document, version 1
    Json,
    /// Names, one per line
    Names,
    /// Directories, one per line
    Paths,
}

/// `skills read`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    skills read pdf                               print its SKILL.md\n  \
    skills read skill://pdf                       the same\n  \
    skills read skill://pdf/references/forms.md   print another file\n  \
    skills read skill://pdf ./skills              search only ./skills")]
pub struct ReadArgs {
    /// File to print: NAME or skill://NAME for its SKILL.md, or NAME/PATH for another
    #[arg(value_name = "[skill://]NAME[/PATH]")]
    pub uri: String,
    /// Skills, or directories to search [default: skills.yaml, then what agents find here]
    #[arg(value_name = "SOURCES")]
    pub sources: Vec<PathBuf>,
    /// Read only the skills of this manifest
    #[arg(long, value_name = "FILE", conflicts_with_all = ["sources", "skills_dir"])]
    pub manifest: Option<PathBuf>,
    /// Set a manifest parameter (repeatable)
    #[arg(long = "param", value_name = "NAME=VALUE")]
    pub params: Vec<String>,
    /// Search DIR, one level deep (repeatable)
    #[arg(long, value_name = "DIR", conflicts_with = "sources")]
    pub skills_dir: Vec<PathBuf>,
    /// How servers are asked.
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: ReadFormat,
}

/// How a file is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ReadFormat {
    /// File content; on a terminal, without control characters
    #[default]
    Human,
    /// JSON document, version 1
    Json,
}

// The flags of `skills lock` and `skills outdated`.

/// `skills lock`
#[derive(Debug, Args)]
#[command(
    after_help = "A locked source stays at its commit until --upgrade; local skills are locked as they \
    are.\nCommit skills.lock with skills.yaml. Commands that read skills.yaml use it; `skills \
    install --frozen` allows nothing else.\n\nExamples:\n  \
    skills lock                  write skills.lock, or add what is missing\n  \
    skills lock --upgrade        lock the newest commit of every source\n  \
    skills lock --upgrade pdf    upgrade only the source of pdf\n  \
    skills install --frozen      install exactly what is locked"
)]
pub struct LockArgs {
    /// The sources.
    #[command(flatten)]
    pub sources: LockedSourcesArgs,
    /// Upgrade all sources, or only those that are named NAME or provide skill NAME
    #[arg(long, value_name = "NAME", num_args = 0..)]
    pub upgrade: Option<Vec<String>>,
    /// Show what would change, and write nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
}

/// `skills outdated`
#[derive(Debug, Args)]
#[command(
    after_help = "Lists the commits since the locked or installed ones, and writes nothing. Without a \
    skills.yaml here, or with --agent, --scope, --home or --dir, it reports on installed skills, \
    like `skills update --dry-run`.\n\nExamples:\n  \
    skills outdated                show what an upgrade would change\n  \
    skills outdated --agent codex  show which skills of Codex are outdated\n  \
    skills outdated --format json  print JSON",
    mut_arg("agent", |agent| agent.help("Look at the skills of this agent only (repeatable)")),
)]
pub struct OutdatedArgs {
    /// The sources.
    #[command(flatten)]
    pub sources: LockedSourcesArgs,
    /// Where installed skills are.
    #[command(flatten)]
    pub destination: DestinationArgs,
}

/// Which manifest, and how to say what is different.
#[derive(Debug, Clone, Args)]
pub struct LockedSourcesArgs {
    /// Read the sources from this manifest, a file or gh:OWNER/REPO [default: skills.yaml]
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
    /// Set a manifest parameter (repeatable)
    #[arg(long = "param", value_name = "NAME=VALUE")]
    pub params: Vec<String>,
    /// How servers are asked.
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: ReportFormat,
}

// The flags of `skills mount` and `skills unmount`.

/// `skills mount`
#[derive(Debug, Args)]
#[command(
    after_help = "With a command, skills removes the home when the command ends and returns its \
    exit code: 128+n after signal n, 125 if skills itself fails, 126 if the command cannot run, \
    127 if it is not found. Without a command, the home stays until `skills unmount HOME`.\n\n\
    Examples:\n  \
    skills mount ./skills -- claude -p \"review this\"   run Claude with only these\n  \
    HOME=$(skills mount ./skills) || exit              make a home for a script\n  \
    eval \"$(skills mount ./skills --format env)\" || exit  set all variables\n  \
    skills mount ./skills --agent all --keep -- ./run  keep the home"
)]
pub struct MountArgs {
    /// Which skills.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Command to run, after --
    #[arg(last = true, value_name = "COMMAND", help_heading = None)]
    pub command: Vec<OsString>,
    /// Give the only skill of SOURCES this name
    #[arg(long, value_name = "NAME", help_heading = "Installing")]
    pub name: Option<String>,
    /// Mount for this agent: A,B or all [default: the agent in COMMAND, else claude]
    #[arg(
        short,
        long,
        value_name = "AGENT",
        value_parser = target_values(),
        value_delimiter = ',',
        hide_possible_values = true,
        help_heading = "Home"
    )]
    pub agent: Vec<String>,
    /// Create a home without skills
    #[arg(long, help_heading = "Home", conflicts_with_all = ["sources", "manifest"])]
    pub empty: bool,
    /// Create the home in DIR, which must be absent or empty [default: below TMPDIR]
    #[arg(long, value_name = "DIR", help_heading = "Home")]
    pub home: Option<PathBuf>,
    /// Start the name of a temporary home with PREFIX [default: agent-]
    #[arg(long, value_name = "PREFIX", help_heading = "Home", conflicts_with = "home")]
    pub prefix: Option<String>,
    /// Keep the home after the command ends
    #[arg(long, help_heading = "Home")]
    pub keep: bool,
    /// Link another path of the real home (repeatable)
    #[arg(long, value_name = "PATH", help_heading = "Home")]
    pub with: Vec<PathBuf>,
    /// Choose how to provide logins
    #[arg(long, value_enum, value_name = "HOW", default_value_t, help_heading = "Home")]
    pub auth: AuthArg,
    /// Run even if the agent can see skills of the real home
    #[arg(long, help_heading = "Home")]
    pub allow_host_skills: bool,
    /// Let the manifest set variables that choose programs, endpoints and secrets
    #[arg(long, help_heading = "Home")]
    pub trust_manifest: bool,
    /// Do without KEY of the manifest's isolation block (repeatable)
    #[arg(long, value_name = "KEY", help_heading = "Home")]
    pub ignore_isolation: Vec<String>,
    /// How skills are read.
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Write the output of `skills render --prompt-only` to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub prompt: Option<PathBuf>,
    /// Output format when no command is given
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: MountFormat,
    /// Shell for --format env
    #[arg(long, value_enum, value_name = "SHELL", default_value_t, help_heading = "Output")]
    pub shell: ShellArg,
}

/// How logins get into a home.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum AuthArg {
    /// Link the files, so that no secret is copied
    #[default]
    Link,
    /// Copy the files, readable only by the owner
    Copy,
    /// Provide no logins
    None,
}

/// What is printed about a home.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum MountFormat {
    /// Path of the home
    #[default]
    Path,
    /// Shell commands that set the environment
    Env,
    /// JSON document, version 1
    Json,
}

/// Shells that --format env knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ShellArg {
    /// sh, bash, zsh and similar
    #[default]
    Sh,
    /// fish
    Fish,
    /// PowerShell
    Powershell,
}

/// `skills unmount`
#[derive(Debug, Args)]
#[command(
    after_help = "Removes only homes that `skills mount` created and that are not in use.\n\nExamples:\n  \
    skills unmount \"$HOME_OF_THE_RUN\"\n  \
    skills unmount --stale                  clean up after killed runs\n  \
    skills unmount --stale --older-than 7d  and remove forgotten homes"
)]
pub struct UnmountArgs {
    /// Homes created by `skills mount`
    #[arg(value_name = "HOME", required_unless_present_any = ["stale", "older_than"])]
    pub homes: Vec<PathBuf>,
    /// Remove homes below TMPDIR whose run was killed
    #[arg(long, conflicts_with = "homes")]
    pub stale: bool,
    /// Also remove homes mounted without a command before AGE: 90s, 30m, 12h, 7d
    #[arg(long, value_name = "AGE", requires = "stale", value_parser = age_value)]
    pub older_than: Option<Duration>,
}

pub fn age_value(text: &str) -> Result<Duration, String> {
    let wrong = || "write an age such as 90s, 30m, 12h or 7d".to_owned();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = text[..digits].parse().map_err(|_| wrong())?;
    let unit = match &text[digits..] {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return Err(wrong()),
    };
    number.checked_mul(unit).map(Duration::from_secs).ok_or_else(wrong)
}

// The flags of `skills pack`.

/// `skills pack`
#[derive(Debug, Args)]
#[command(
    after_help = "Leaves out version control files, node_modules, __pycache__, *.pyc, .DS_Store, \
    evals beside SKILL.md,\nand everything listed in .skillignore (same syntax as .gitignore).\n\n\
    Examples:\n  \
    skills pack ./pdf               create pdf.skill here\n  \
    skills pack ./skills -o dist    create one archive per skill in dist/\n  \
    skills pack ./skills --index w  create the files of a site in w/\n  \
    skills pack ./skills --oci o    write an OCI layout, for registries\n  \
    skills install dist/pdf.skill   install from an archive"
)]
pub struct PackArgs {
    /// Skill directories, or directories to search
    #[arg(value_name = "DIRS", required = true)]
    pub sources: Vec<PathBuf>,
    /// Write to this directory or, for one skill, to this .skill or .zip file [default: .]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Write the files of a site that publishes these skills: index.json and artifacts
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    pub index: Option<PathBuf>,
    /// Write all skills to this directory as an OCI image layout
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "index"])]
    pub oci: Option<PathBuf>,
    /// Pack only the skills of this plugin (repeatable, or A,B)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub plugin: Vec<String>,
    /// Include files that are left out by default (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Leave out files that match (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Include skills nested inside other skills
    #[arg(long)]
    pub nested: bool,
    /// Skip all rules except the safety rules
    #[arg(long)]
    pub no_validate: bool,
    /// Replace archives or a layout that differ
    #[arg(long)]
    pub force: bool,
    /// How servers are asked.
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: ReportFormat,
}

// The flags of `skills push`.

/// What stands before the sources in the help of this command.
const USAGE: &str = "skills push [OPTIONS] [SOURCES]... oci://HOST/REPO[:TAG]";

/// `skills push`
#[derive(Debug, Args)]
#[command(
    override_usage = USAGE,
    after_help = "A skill that you name goes to REPO, skills that are found go to REPO/NAME. Several \
    also make a\ncollection in REPO. Tags: metadata.version, else the start of the digest, and \
    latest.\nPushing again uploads nothing. An OCI layout or an oci:// source is copied as it is,\n\
    with its signatures.\n\n\
    Logins come from Docker's configuration and credential helpers, or from\n\
    SKILLS_REGISTRY_TOKEN=HOST=USER:PASSWORD.\n\nExamples:\n  \
    skills push ./pdf oci://ghcr.io/team/pdf        publish one skill\n  \
    skills push ./skills oci://ghcr.io/team/all     publish all skills\n  \
    skills push ./skills oci://ghcr.io/team/all -n  show what would go\n  \
    skills push ./layout oci://ghcr.io/team/all     copy a layout\n  \
    skills install oci://ghcr.io/team/all           install them",
    mut_arg("sources", |sources| sources
        .help("Skills or directories to search [default: skills.yaml], then oci://HOST/REPO[:TAG]")
        .required(true)),
)]
pub struct PushArgs {
    /// Which skills, and where they go.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Name the collection [default: the last part of REPO]
    #[arg(long, value_name = "NAME", help_heading = "Publishing")]
    pub collection: Option<String>,
    /// Add an annotation to every skill, such as its source (repeatable)
    #[arg(long = "annotation", value_name = "KEY=VALUE", help_heading = "Publishing")]
    pub annotations: Vec<String>,
    /// Move version tags that name other content
    #[arg(long, help_heading = "Publishing")]
    pub force: bool,
    /// Show what would be uploaded, and upload nothing
    #[arg(short = 'n', long, help_heading = "Publishing")]
    pub dry_run: bool,
    /// Include skills nested inside other skills
    #[arg(long, help_heading = "Publishing")]
    pub nested: bool,
    /// Fail if any skill would be skipped
    #[arg(long, help_heading = "Publishing")]
    pub no_skip: bool,
    /// Skip all rules except the safety rules
    #[arg(long, help_heading = "Publishing")]
    pub no_validate: bool,
    /// Maximum size of one skill [default: 10MiB]
    #[arg(long, value_name = "SIZE", value_parser = size_value, help_heading = "Publishing")]
    pub max_skill_size: Option<u64>,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: ReportFormat,
}

// The flags of `skills render`.

/// `skills render`
#[derive(Debug, Default, Args)]
#[command(after_help = "Examples:\n  \
    skills render ./skills                        print a catalogue in XML\n  \
    skills render ./skills --mount-path skills    use locations below skills/\n  \
    skills render --prompt-only                   print what stays in the prompt\n  \
    skills render ./skills --activate pdf         print one whole skill\n  \
    skills render --discover                      print what is on this machine\n  \
    skills render --as codex                      print what Codex shows its model")]
pub struct RenderArgs {
    /// Which skills.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Where to look when no source is given.
    #[command(flatten)]
    pub discovery: DiscoveryArgs,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: RenderFormat,
    /// Show full entries, or only names and summaries
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Output")]
    pub visibility: Option<VisibilityArg>,
    /// Leave out headings and the instructions for using skills
    #[arg(long, help_heading = "Output")]
    pub no_instructions: bool,
    /// Include skills nested inside other skills
    #[arg(long, help_heading = "Selection")]
    pub nested: bool,
    /// Say that skills are below this relative path
    #[arg(long, value_name = "PATH", help_heading = "Output")]
    pub mount_path: Option<String>,
    /// What is logged.
    #[command(flatten)]
    pub events: EventArgs,
    /// Render only what stays in the prompt when the other skills are mounted
    #[arg(long, help_heading = "Content", group = "shown")]
    pub prompt_only: bool,
    /// Render every skill as a section of the prompt, with or without tools
    #[arg(long, help_heading = "Content", group = "shown")]
    pub sections: bool,
    /// Render this skill in full instead of a catalogue (repeatable)
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Content",
        group = "shown",
        conflicts_with_all = ["visibility", "no_instructions", "mount_path", "events"]
    )]
    pub preload: Vec<String>,
    /// Render one skill as an agent loads it: its text, directory and files
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Content",
        group = "shown",
        conflicts_with_all = ["visibility", "no_instructions", "mount_path"]
    )]
    pub activate: Option<String>,
    /// Add the user's request to the activated skill
    #[arg(
        long,
        value_name = "TEXT",
        help_heading = "Content",
        requires = "activate",
        allow_hyphen_values = true
    )]
    pub user: Option<String>,
    /// Render the listing that this agent shows its model; with -v, also its tokens
    #[arg(
        long = "as",
        value_name = "AGENT",
        value_parser = agent_values(),
        help_heading = "Content",
        group = "shown",
        conflicts_with_all = [
            "format", "visibility", "no_instructions", "mount_path", "events", "expand",
            "max_depth", "exclude", "discover", "source", "no_source", "skills_dir",
        ]
    )]
    pub as_agent: Option<String>,
}

/// How prompts are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum RenderFormat {
    /// XML with every value escaped
    #[default]
    Xml,
    /// Markdown
    Markdown,
    /// JSON document, version 1
    Json,
}

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VisibilityArg {
    /// Descriptions, and whole sections
    Full,
    /// Names, and summaries of sections
    Summary,
}

// The flags of `skills serve`.

/// As many characters of a description as Claude Code shows a model, and a few less.
pub const DEFAULT_BUDGET: usize = 4_000;

/// `skills serve`
#[derive(Debug, Clone, Default, Args)]
#[command(after_help = "Examples:\n  \
    skills serve ./skills                        serve a directory\n  \
    skills serve --manifest gh:team/skills@main  serve a team's skills\n  \
    skills serve ./skills --print-config claude  print what to configure\n  \
    skills serve ./skills --http 127.0.0.1:8321  serve HTTP on this machine\n  \
    skills serve ./skills --events used.jsonl    log which skills are used")]
pub struct ServeArgs {
    /// Which skills.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Serve skills nested inside other skills, too
    #[arg(long, help_heading = "Selection")]
    pub nested: bool,
    /// Serve HTTP on this loopback address; the token is in SKILLS_SERVE_TOKEN, else printed
    #[arg(long, value_name = "ADDRESS:PORT", help_heading = "Server")]
    pub http: Option<String>,
    /// Choose where models find the list of skills
    #[arg(long, value_enum, value_name = "WHERE", default_value_t, help_heading = "Server")]
    pub catalog: CatalogArg,
    /// Limit the description or instructions that have this list to N characters
    #[arg(long, value_name = "N", default_value_t = DEFAULT_BUDGET, help_heading = "Server")]
    pub catalog_budget: usize,
    /// Print the configuration of a client for this server, and end
    #[arg(long, value_enum, value_name = "CLIENT", help_heading = "Server")]
    pub print_config: Option<ClientArg>,
    /// What is logged.
    #[command(flatten)]
    pub events: EventArgs,
}

/// Where models find the list of skills.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum CatalogArg {
    /// In the description of the tool open_skill
    #[default]
    Tool,
    /// In the instructions of the server
    Instructions,
    /// Nowhere; open_skill without a name lists them
    Off,
}

impl CatalogArg {
    /// The word of the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Instructions => "instructions",
            Self::Off => "off",
        }
    }
}

/// Clients whose configuration can be printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ClientArg {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Visual Studio Code
    Vscode,
    /// Cursor
    Cursor,
    /// Gemini CLI
    Gemini,
    /// OpenCode
    Opencode,
}

// The flags of `skills show`.

/// What the flags of a destination mean here.
const AGENT_OF_SHOWN: &str =
    "Look only where this agent has its skills, such as codex (repeatable)";

const SCOPE_OF_SHOWN: &str = "Look only in the skills of the user or of the current repository";

/// `skills show`
#[derive(Debug, Args)]
#[command(
    after_help = "A word that is not a path is the name of a skill that agents find on this machine.\n\n\
    Examples:\n  \
    skills show pdf                      show an installed skill\n  \
    skills show pdf --scope project      show the copy in this repository\n  \
    skills show ./skills --only pdf      show one skill of several\n  \
    skills show team/skills@pdf          show it before installing it\n  \
    skills show pdf.skill --diff         show what installing it would change\n  \
    skills show pdf --diff               show what its source has changed\n  \
    skills show pdf --format json        print JSON",
    mut_arg("agent", |agent| agent.help(AGENT_OF_SHOWN)),
    mut_arg("scope", |scope| scope.help(SCOPE_OF_SHOWN)),
)]
pub struct ShowArgs {
    /// Name of a skill on this machine, or a directory, an archive or a git repository
    #[arg(value_name = "NAME|SOURCE")]
    pub skill: PathBuf,
    /// Choose the skill with exactly this name in a source that has several
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    /// Show a skill of this plugin, if several plugins of a source have it
    #[arg(long, value_name = "NAME")]
    pub plugin: Option<String>,
    /// How servers are asked.
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Where to look for a name.
    #[command(flatten)]
    pub destination: DestinationArgs,
    /// Print what differs between the installed skill (-) and its source (+)
    #[arg(long, help_heading = "Output")]
    pub diff: bool,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: ReportFormat,
}

// The flags of `skills disable` and `skills enable`.

/// Without `--agent`, all agents are meant.
const AGENT_OF_SWITCHED: &str =
    "Use the skills directory of this agent, such as codex [default: all] (repeatable)";

/// `skills disable`
#[derive(Debug, Args)]
#[command(
    mut_arg("agent", |agent| agent.help(AGENT_OF_SWITCHED)),
    after_help = "A disabled skill waits in .skills-disabled, beside its skills directory. It keeps \
    its edits and its record.\n\nExamples:\n  \
    skills disable pdf          disable it for all agents\n  \
    skills disable 'team-*' -n  show what a glob would disable\n  \
    skills enable pdf           bring it back"
)]
pub struct DisableArgs {
    /// Which skills, and where.
    #[command(flatten)]
    pub switch: SwitchArgs,
}

/// `skills enable`
#[derive(Debug, Args)]
#[command(mut_arg("agent", |agent| agent.help(AGENT_OF_SWITCHED)), after_help = "Examples:\n  \
    skills enable pdf  bring it back for all agents\n  \
    skills enable '*'  bring all disabled skills back")]
pub struct EnableArgs {
    /// Which skills, and where.
    #[command(flatten)]
    pub switch: SwitchArgs,
}

/// What both have in common.
#[derive(Debug, Clone, Args)]
pub struct SwitchArgs {
    /// Names of skills, or globs such as 'team-*'
    #[arg(value_name = "NAMES", required = true)]
    pub names: Vec<String>,
    /// Where they are.
    #[command(flatten)]
    pub destination: DestinationArgs,
    /// Show what would happen, and write nothing
    #[arg(short = 'n', long, help_heading = "Behaviour")]
    pub dry_run: bool,
    /// Wait at most this long for another run to finish
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "60",
        value_parser = seconds_value,
        allow_negative_numbers = true,
        help_heading = "Behaviour"
    )]
    pub lock_timeout: Duration,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: ReportFormat,
}

// The flags of `skills sync`.

/// `skills sync`
#[derive(Debug, Args)]
#[command(
    after_help = "Installs what the manifest and its skills.lock say, and removes what the same manifest \
    installed before and no longer names.\nLeaves alone what was edited, what others installed, and \
    what is disabled now.\n\n\
    Examples:\n  \
    skills sync                                 use the skills.yaml here\n  \
    skills sync --manifest gh:team/skills@main  use the manifest of a team\n  \
    skills sync --dry-run                       show what would happen\n  \
    skills sync --upgrade                       take new revisions and lock them\n  \
    skills sync --frozen --offline              use the lock and the cache only"
)]
pub struct SyncArgs {
    /// Use this manifest: FILE, or the skills.yaml of gh:OWNER/REPO [default: skills.yaml]
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
    /// Take the newest revision of every source, and write the lock of a local manifest
    #[arg(long, conflicts_with = "frozen")]
    pub upgrade: bool,
    /// Use exactly what skills.lock pins, from the cache if possible
    #[arg(long)]
    pub frozen: bool,
    /// How servers are asked.
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Set a manifest parameter (repeatable)
    #[arg(long = "param", value_name = "NAME=VALUE")]
    pub params: Vec<String>,
    /// Expand a section of the manifest (repeatable)
    #[arg(long, value_name = "KEY")]
    pub expand: Vec<String>,
    /// Let the manifest lower rules that find hidden text
    #[arg(long)]
    pub trust_manifest: bool,
    /// Where skills go.
    #[command(flatten)]
    pub destination: DestinationArgs,
    /// How they get there.
    #[command(flatten)]
    pub apply: ApplyArgs,
    /// How skills are read.
    #[command(flatten)]
    pub reading: ReadingArgs,
}

// The flags of `skills update`.

/// Here an agent, a scope or a home only narrows or widens what is looked at.
const AGENT: &str = "Update the skills of this agent only [default: all] (repeatable)";

const SCOPE: &str = "Update the user's skills, or those of the current repository as well";

const FORCE: &str = "Replace edited skills too, and keep a backup";

/// `skills update`
#[derive(Debug, Args)]
#[command(
    after_help = "Asks the source of every installed skill for it again, as it was requested. Skills that were \
    edited, or that their source no longer has, stay as they are.\nExit code 1: a skill was edited or \
    its new version is refused; with --check, also if one is outdated. Exit code 2: a source cannot \
    be read.\n\nExamples:\n  \
    skills update                   bring all installed skills up to date\n  \
    skills update --dry-run --diff  show what would change\n  \
    skills update pdf --force       replace an edited copy\n  \
    skills update --scope project   update this repository's skills as well\n  \
    skills update --check           exit with 1 if something is outdated\n  \
    skills update --undo            undo the last update",
    mut_arg("agent", |agent| agent.help(AGENT)),
    mut_arg("scope", |scope| scope.help(SCOPE)),
    mut_arg("force", |force| force.help(FORCE)),
)]
pub struct UpdateArgs {
    /// Names of installed skills [default: all]
    #[arg(value_name = "NAMES")]
    pub names: Vec<String>,
    /// Exit with 1 if something is outdated, and write nothing
    #[arg(long, conflicts_with = "undo", help_heading = "Behaviour")]
    pub check: bool,
    /// Show the changes line by line
    #[arg(long, conflicts_with = "undo", help_heading = "Output")]
    pub diff: bool,
    /// Remove skills that their sources no longer have
    #[arg(long, conflicts_with = "undo", help_heading = "Behaviour")]
    pub prune: bool,
    /// Undo the last update
    #[arg(long, help_heading = "Behaviour")]
    pub undo: bool,
    /// How servers are asked.
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Where they are.
    #[command(flatten)]
    pub destination: DestinationArgs,
    /// How they are replaced.
    #[command(flatten)]
    pub apply: ApplyArgs,
}

// The flags of `skills validate`.

/// `skills validate`
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 no errors; 1 errors, or warnings with --strict; \
    2 validation could not run.\n\n\
    Examples:\n  \
    skills validate                           check skills.yaml, or all below\n  \
    skills validate ./skills --fix            repair errors and warnings\n  \
    skills validate ./pdf --agent copilot     show what Copilot does with it\n  \
    skills validate --watch                   check again whenever a file changes\n  \
    skills validate --changed origin/main     check only skills of this branch\n  \
    skills validate - <SKILL.md               check standard input\n  \
    skills validate --rule broken-link=off    switch one rule off\n  \
    skills validate --format github           annotate a pull request")]
pub struct ValidateArgs {
    /// Which skills.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Output")]
    pub format: FindingsFormat,
    /// Write the chosen format to FILE (not -), and text to the terminal
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Fail on warnings, and report fields outside the specification as errors
    #[arg(long, help_heading = "Rules")]
    pub strict: bool,
    /// Search every file of a skill for secrets, hidden text and dangerous commands
    #[arg(long, help_heading = "Rules")]
    pub deep: bool,
    /// Also report what this agent does with each skill: A,B, all, or mcp for hosts of MCP
    #[arg(
        short,
        long,
        value_name = "AGENT",
        help_heading = "Rules",
        value_delimiter = ',',
        value_parser = judged_agent_values()
    )]
    pub agent: Vec<String>,
    /// Set the level of a rule: off, note, warning or error (repeatable)
    #[arg(
        long = "rule",
        value_name = "ID=LEVEL",
        help_heading = "Rules",
        hide_possible_values = true,
        value_parser = level_values()
    )]
    pub rules: Vec<String>,
    /// Check again whenever a file changes, until Ctrl-C
    #[arg(long, conflicts_with_all = ["fix", "diff", "output", "write_baseline"])]
    pub watch: bool,
    /// Check only skills that changed since BASE [default: since the default branch]
    #[arg(long, value_name = "BASE", num_args = 0..=1, help_heading = "Selection")]
    pub changed: Option<Option<String>>,
    /// Leave out the findings that FILE lists, so that only new ones fail
    #[arg(long, value_name = "FILE", help_heading = "Rules")]
    pub baseline: Option<PathBuf>,
    /// Write all findings to FILE, for --baseline
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Rules",
        conflicts_with_all = ["baseline", "changed", "fix", "diff", "output"]
    )]
    pub write_baseline: Option<PathBuf>,
    /// Repair errors and warnings where the repair is certain; all: notes too
    #[arg(
        long,
        value_name = "all",
        hide_possible_values = true,
        num_args = 0..=1,
        require_equals = true,
        help_heading = "Repairs"
    )]
    pub fix: Option<Option<MoreRepairs>>,
    /// Print what --fix would change, as a diff for patch -p1 or git apply
    #[arg(
        long,
        value_name = "all",
        hide_possible_values = true,
        num_args = 0..=1,
        require_equals = true,
        help_heading = "Repairs",
        conflicts_with_all = ["fix", "output"]
    )]
    pub diff: Option<Option<MoreRepairs>>,
}

/// What is repaired besides errors and warnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MoreRepairs {
    /// Notes: execute bits, the form of allowed-tools
    All,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum FindingsFormat {
    /// Text
    #[default]
    Human,
    /// JSON document, version 1
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// GitHub workflow annotations
    Github,
    /// GitLab Code Quality report
    Gitlab,
    /// JUnit XML
    Junit,
}
