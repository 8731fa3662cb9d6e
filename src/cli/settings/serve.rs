//! Settings of `skills serve`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use crate::cli::args::{CatalogArg, ClientArg, DEFAULT_BUDGET, SelectionArgs, ServeArgs};
use crate::cli::context::Context;
use crate::cli::settings::{EventSettings, choices, key_prefix, max_skill_bytes};
use crate::output::mcp::{CatalogPlace, CatalogWords, ConfigClient, ServerCommand};
use crate::skills::find::lock;
use crate::skills::find::manifest::{self, Manifest, resolve};
use crate::skills::find::selection::Selection;
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::request::RequestedSource;
use crate::skills::serve::http::ENDPOINT;
use crate::skills::show::layout::{PromptOptions, PromptParts};
use crate::skills::show::prompt::KeptParts;

/// The variable that has the token.
const TOKEN: &str = "SKILLS_SERVE_TOKEN";

/// The shortest token that can be chosen.
const TOKEN_CHARS: usize = 16;

/// The smallest budget in which a catalogue can be told.
const LEAST_BUDGET: usize = 500;

/// The flags, which are resolved again whenever files change.
#[derive(Debug, Clone)]
pub struct ServeSource {
    args: ServeArgs,
    context: Context,
}

/// Settings of `skills serve`.
#[derive(Debug, Clone)]
pub struct ServeSettings {
    /// Those of every command.
    pub context: Context,
    /// Which skills, those in closed sections among them.
    pub selection: Selection,
    /// Which of its requests wait in a closed section.
    pub waiting: Vec<bool>,
    /// How a prompt is laid out.
    pub layout: PromptOptions,
    /// Whether skills that lie below other skills are served.
    pub nested: bool,
    /// The most bytes of a skill, if the manifest says so.
    pub most_bytes: Option<u64>,
    /// The manifest and its lock, which are watched as the sources are.
    pub companions: Vec<PathBuf>,
    /// How clients reach the server.
    pub transport: Transport,
    /// How skills are told to clients that know none.
    pub catalog: CatalogWords,
    /// Where to log what was used.
    pub events: EventSettings,
    /// The configuration to print instead of serving.
    pub config: Option<(ConfigClient, ServerCommand)>,
}

/// How clients reach the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// On standard input and output.
    Stdio,
    /// At this address of this machine, with a token that was chosen or will be.
    Http(SocketAddr, Option<String>),
}

impl ServeSource {
    /// The flags of a run.
    pub const fn new(args: ServeArgs, context: Context) -> Self {
        Self { args, context }
    }

    /// Resolves the flags.
    pub fn resolve(&self) -> Result<ServeSettings> {
        let (args, context) = (&self.args, &self.context);
        let transport = transport(args, context)?;
        if args.catalog_budget < LEAST_BUDGET {
            return Err(err!(Usage, "`--catalog-budget` must be at least {LEAST_BUDGET}"));
        }
        let manifest = crate::cli::settings::manifest(&args.selection, context)?;
        let manifest = manifest.as_ref();
        let selection = crate::cli::settings::selection(&args.selection, manifest, true, context)?;
        let layout = layout(&args.selection, manifest, &selection, context)?;
        let config = args.print_config.map(|client| config(client, args, &transport, context));
        Ok(ServeSettings {
            context: context.clone(),
            waiting: selection.requests.iter().map(|request| request.is_waiting).collect(),
            selection,
            layout,
            nested: args.nested,
            most_bytes: max_skill_bytes(manifest),
            companions: companions(manifest),
            transport,
            catalog: CatalogWords {
                place: match args.catalog {
                    CatalogArg::Tool => CatalogPlace::Tool,
                    CatalogArg::Instructions => CatalogPlace::Instructions,
                    CatalogArg::Off => CatalogPlace::Nowhere,
                },
                budget: args.catalog_budget,
            },
            events: EventSettings::resolve(&args.events, "serve", true, context)?,
            config: config.transpose()?,
        })
    }

    /// What a prompt with these keys expanded is made of.
    pub fn expanded(&self, keys: &[String]) -> Result<(Selection, PromptOptions)> {
        let context = &self.context;
        let mut args = self.args.selection.clone();
        args.expand.extend(keys.iter().cloned());
        let manifest = crate::cli::settings::manifest(&args, context)?;
        let manifest = manifest.as_ref();
        let selection = crate::cli::settings::selection(&args, manifest, false, context)?;
        let layout = layout(&args, manifest, &selection, context)?;
        Ok((selection, layout))
    }
}

impl ServeSettings {
    /// What has to be kept of each skill.
    pub fn keep(&self) -> KeptParts {
        match self.layout.parts {
            PromptParts::AllSections => KeptParts::Body,
            PromptParts::Catalogue | PromptParts::SectionsWithTools => KeptParts::Nothing,
        }
    }

    /// The paths of this machine that can change what is served.
    pub fn watched(&self) -> Vec<PathBuf> {
        let here = &self.context.directory;
        let sources = self.selection.requests.iter().filter_map(|request| match &request.what {
            RequestedSource::Path(path) | RequestedSource::Packed(path, _) => Some(path),
            RequestedSource::Git(..) | RequestedSource::Network(_) | RequestedSource::Inline(_) => {
                None
            }
        });
        let paths = sources.chain(&self.companions).map(|path| here.join(path));
        paths.map(|path| path.canonicalize().unwrap_or(path)).collect()
    }
}

/// How a prompt is laid out, as `skills render` does it.
fn layout(
    args: &SelectionArgs,
    manifest: Option<&Manifest>,
    selection: &Selection,
    context: &Context,
) -> Result<PromptOptions> {
    let choices = choices(args, manifest, false)?;
    let named = manifest.filter(|_| args.sources.is_empty());
    let sections = match named {
        Some(manifest) => resolve::prompt_sections(manifest, &choices, &context.environment)?,
        None => Vec::new(),
    };
    Ok(PromptOptions {
        parts: match manifest.is_some_and(|manifest| manifest.prompt_only) {
            true => PromptParts::AllSections,
            false => PromptParts::Catalogue,
        },
        expanded: choices.expanded,
        expandable: manifest.map(resolve::expandable).unwrap_or_default(),
        key_prefix: key_prefix(manifest),
        sections,
        requests: selection.requests.clone(),
        ..PromptOptions::default()
    })
}

/// The manifest and its lock, unless they come from elsewhere.
fn companions(manifest: Option<&Manifest>) -> Vec<PathBuf> {
    let local = manifest.filter(|manifest| manifest.tree.is_none());
    local
        .map(|manifest| vec![manifest.path.clone(), lock::beside(&manifest.path)])
        .unwrap_or_default()
}

/// Reads `--http`: an address of this machine, and nothing that others could reach.
fn transport(args: &ServeArgs, context: &Context) -> Result<Transport> {
    let Some(text) = &args.http else { return Ok(Transport::Stdio) };
    let refused = |message: String| {
        Err(Error::new(ErrorKind::Usage, message).help("write `--http 127.0.0.1:PORT`"))
    };
    let spelled = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.clone(),
    };
    let Ok(address) = spelled.parse::<SocketAddr>() else {
        return refused(format!("`--http {text}` is not an address and a port"));
    };
    if !address.ip().is_loopback() {
        return refused(format!("`--http {text}` could be reached from other machines"));
    }
    let token =
        context.environment.variable(TOKEN).map(|token| token.to_string_lossy().into_owned());
    let is_good = |token: &String| {
        token.len() >= TOKEN_CHARS && token.bytes().all(|byte| byte.is_ascii_graphic())
    };
    match token {
        Some(token) if !is_good(&token) => {
            let message =
                format!("`{TOKEN}` must have at least {TOKEN_CHARS} printable ASCII characters");
            Err(Error::new(ErrorKind::Usage, message).help("unset it to get a random token"))
        }
        token => Ok(Transport::Http(address, token)),
    }
}

/// What to print for a client: the flags of this run, independent of the current directory.
fn config(
    client: ClientArg,
    args: &ServeArgs,
    transport: &Transport,
    context: &Context,
) -> Result<(ConfigClient, ServerCommand)> {
    let client = match client {
        ClientArg::Claude => ConfigClient::Claude,
        ClientArg::Codex => ConfigClient::Codex,
        ClientArg::Vscode => ConfigClient::Vscode,
        ClientArg::Cursor => ConfigClient::Cursor,
        ClientArg::Gemini => ConfigClient::Gemini,
        ClientArg::Opencode => ConfigClient::Opencode,
    };
    match transport {
        Transport::Http(address, _) if address.port() == 0 => {
            Err(err!(Usage, "`--print-config` needs the port that the server will have")
                .help("write `--http 127.0.0.1:8321`"))
        }
        Transport::Http(address, _) => {
            Ok((client, ServerCommand::At(format!("http://{address}{ENDPOINT}"))))
        }
        Transport::Stdio => Ok((client, ServerCommand::Started(words(args, context)?))),
    }
}

/// The words of this command line that matter, with paths that mean the same everywhere.
fn words(args: &ServeArgs, context: &Context) -> Result<Vec<String>> {
    let absolute = |path: &Path| -> Result<String> {
        let is_here = path.exists();
        let path = if is_here { context.directory.join(path) } else { path.to_owned() };
        path.to_str()
            .map(str::to_owned)
            .ok_or_else(|| err!(Usage, "`{}` is not UTF-8", path.display()))
    };
    let selection = &args.selection;
    let mut words = vec!["serve".to_owned()];
    for source in &selection.sources {
        words.push(absolute(source)?);
    }
    let found = Path::new(manifest::FILE_NAME);
    match &selection.manifest {
        Some(path) => words.extend(["--manifest".to_owned(), absolute(path)?]),
        None if !selection.sources.is_empty() => {}
        None if found.exists() => words.extend(["--manifest".to_owned(), absolute(found)?]),
        None => words.push(absolute(Path::new("."))?),
    }
    let mut repeat = |flag: &str, values: &[String]| {
        for value in values {
            words.extend([flag.to_owned(), value.clone()]);
        }
    };
    repeat("--allow", &selection.allow);
    repeat("--deny", &selection.deny);
    repeat("--only", &selection.only);
    repeat("--plugin", &selection.plugin);
    repeat("--exclude", &selection.exclude);
    repeat("--param", &selection.params);
    repeat("--expand", &selection.expand);
    if let Some(depth) = selection.max_depth {
        repeat("--max-depth", &[depth.to_string()]);
    }
    if args.catalog != CatalogArg::default() {
        repeat("--catalog", &[args.catalog.word().to_owned()]);
    }
    if args.catalog_budget != DEFAULT_BUDGET {
        repeat("--catalog-budget", &[args.catalog_budget.to_string()]);
    }
    if let Some(file) = &args.events.events {
        let file = context.directory.join(file).to_string_lossy().into_owned();
        repeat("--events", &[file]);
    }
    let flags = [
        ("--frozen", selection.frozen),
        ("--offline", selection.network.offline),
        ("--insecure", selection.network.insecure),
        ("--nested", args.nested),
    ];
    words.extend(flags.iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| (*flag).to_owned()));
    Ok(words)
}
