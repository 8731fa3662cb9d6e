//! One skill for people: a card that fits a terminal.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use crate::output::layout::{cut, grouped, pad, width, wrap};
use crate::output::list::status_style;
use crate::output::{BOLD, DIM, GREEN, RED, Screen, YELLOW, count, sanitize};
use crate::skills::agents::load::Fate;
use crate::skills::agents::{Agent, join_titles};
use crate::skills::files::FileKind;
use crate::skills::files::digest::portable;
use crate::skills::files::inventory::{Excess, is_part_of_skill};
use crate::skills::judge::needs::Availability;
use crate::skills::judge::rule::{Finding, Severity};
use crate::skills::model::location;
use crate::skills::model::scope::Provenance;
use crate::skills::show::card::{SkillCard, SkillDetails, SkillOrigin};
use crate::skills::show::file_pass::CardFile;
use crate::skills::show::listing::Status;
use crate::skills::show::loading::{AgentVerdict, ShownDescription};
use crate::skills::text::document::{STANDARD_FIELDS, tokens};
use crate::skills::text::field_values::{FieldValue, FieldValues};

/// Columns of the words before the values.
const LABEL: usize = 9;

/// Where values start: a margin, the label and a gap.
const VALUE: usize = 2 + LABEL + 2;

/// Longer values are cut: no field of the specification needs more.
const MOST_CHARS: usize = 1_500;

/// Maximum findings to show; the rest are counted.
const MOST_FINDINGS: usize = 20;

/// Prints everything about one skill.
pub fn card(
    out: &mut dyn Write,
    card: &SkillCard,
    verbose: bool,
    screen: &Screen<'_>,
) -> io::Result<()> {
    let page = CardPage { card, screen, verbose };
    page.title(out)?;
    page.fields(out)?;
    page.heading(out, "files")?;
    write_tree(out, &card.details, verbose, screen)?;
    page.heading(out, "agents")?;
    write_agents(out, card, screen)?;
    page.heading(out, "safety")?;
    page.findings(out)
}

/// A card and where it is shown.
struct CardPage<'a> {
    card: &'a SkillCard,
    screen: &'a Screen<'a>,
    verbose: bool,
}

impl CardPage<'_> {
    /// Name, version and status, then the description.
    fn title(&self, out: &mut dyn Write) -> io::Result<()> {
        let row = &self.card.row;
        let (bold, dim) = (self.screen.style(BOLD), self.screen.style(DIM));
        let style = self.screen.style(status_style(row.status));
        let name = row.full_name();
        let name = sanitize::line(&name);
        write!(out, "{bold}{name}{bold:#}")?;
        if let Some(version) = row.entry.fields.as_ref().and_then(FieldValues::version) {
            write!(out, " {}", short(version))?;
        }
        let nested = if row.entry.skill.is_nested { ", nested" } else { "" };
        writeln!(out, "  {style}{}{style:#}{dim}{nested}{dim:#}", row.status.as_str())?;
        if let Some(reason) = row.reason.as_ref().filter(|_| row.status != Status::Active) {
            self.paragraph(out, reason)?;
        }
        if !row.rules.is_empty() && row.status != Status::Invalid {
            self.paragraph(out, &format!("breaks {}", row.rules.join(", ")))?;
        }
        match &row.entry.description {
            Some(description) => self.paragraph(out, description)?,
            None => self.paragraph(out, "(no description)")?,
        }
        writeln!(out)
    }

    fn paragraph(&self, out: &mut dyn Write, text: &str) -> io::Result<()> {
        writeln!(out, "  {}", wrap(&short(text), self.screen.width, 2, "  "))
    }

    fn fields(&self, out: &mut dyn Write) -> io::Result<()> {
        let (card, entry) = (self.card, &self.card.row.entry);
        if let Some(origin) = &card.origin {
            self.origin(out, origin)?;
        }
        let is_installed = card.row.origin.provider.is_some();
        if is_installed {
            let place = self.screen.path(&entry.skill.path);
            self.field(out, "at", &with_scope(place, card.row.origin))?;
        }
        for copy in &card.copies {
            let same = match copy.is_same {
                Some(true) => "identical",
                Some(false) => "different",
                None => "not compared",
            };
            let place = with_scope(self.screen.path(&copy.path), copy.origin);
            self.field(out, "also at", &format!("{place}, {same}"))?;
        }
        let fields = entry.fields.as_ref();
        let text = |key| fields.and_then(|fields| fields.text(key));
        if let Some(text) = text("license") {
            self.field(out, "license", text)?;
        }
        self.needs(out, text("compatibility"))?;
        if let Some(fields) = fields {
            if !fields.tools.is_empty() {
                self.field(out, "tools", &fields.tools.join(", "))?;
            }
            if let Some(text) = metadata(fields) {
                self.field(out, "metadata", &text)?;
            }
            let others: Vec<&str> = fields
                .entries
                .iter()
                .map(|(key, _)| key.as_str())
                .filter(|key| !STANDARD_FIELDS.contains(key) && *key != "version")
                .collect();
            if !others.is_empty() {
                self.field(out, "fields", &others.join(", "))?;
            }
        }
        if !card.details.nested.is_empty() {
            let paths: Vec<String> =
                card.details.nested.iter().map(|path| portable(path)).collect();
            let text = format!("{}: {}", count(paths.len(), "skill"), paths.join(", "));
            self.field(out, "nested", &text)?;
        }
        if card.details.has_signature {
            self.field(out, "signature", "present, not verified")?;
        }
        let [catalog, body] =
            [entry.catalog_chars, entry.body_chars].map(|chars| grouped(tokens(chars) as u64));
        let text = format!("about {catalog} in the catalogue, {body} in the body");
        self.field(out, "tokens", &text)?;
        match &entry.digest {
            Some(digest) => writeln!(out, "  {digest}"),
            None => Ok(()),
        }
    }

    /// The stated requirements, from prose and other fields, and which of them are missing.
    fn needs(&self, out: &mut dyn Write, prose: Option<&str>) -> io::Result<()> {
        if let Some(prose) = prose {
            self.field(out, "needs", prose)?;
        }
        let others = self.card.needs.iter().filter(|one| one.field != "compatibility");
        let others: Vec<String> = others.map(|one| one.need.describe()).collect();
        if !others.is_empty() {
            self.field(out, "needs", &others.join(", "))?;
        }
        for need in &self.card.needs {
            if let Availability::Missing(sentence) = &need.availability {
                self.field(out, "lacking", sentence)?;
            }
        }
        Ok(())
    }

    /// Where it came from, and when.
    fn origin(&self, out: &mut dyn Write, origin: &SkillOrigin) -> io::Result<()> {
        // For git, the requested branch or tag is more useful than the source; for others, the
        // reverse.
        let written = origin.requested.as_ref().filter(|_| origin.commit.is_some());
        let written = written.unwrap_or(&origin.source);
        let mut text = self.screen.path(Path::new(written));
        if let Some(commit) = &origin.commit {
            text = format!("{text} ({})", location::short(commit));
        }
        self.field(out, "from", &text)?;
        if let Some(time) = &origin.installed_at {
            let day = time.split('T').next().unwrap_or_default();
            let edited = match origin.edited {
                Some(true) => ", edited since",
                Some(false) => ", unchanged since",
                None => "",
            };
            self.field(out, "installed", &format!("{day}{edited}"))?;
        }
        Ok(())
    }

    fn field(&self, out: &mut dyn Write, label: &str, text: &str) -> io::Result<()> {
        let dim = self.screen.style(DIM);
        let text = wrap(&short(text), self.screen.width, VALUE, &" ".repeat(VALUE));
        writeln!(out, "  {dim}{}{dim:#}  {text}", pad(label, LABEL))
    }

    fn heading(&self, out: &mut dyn Write, title: &str) -> io::Result<()> {
        let bold = self.screen.style(BOLD);
        writeln!(out, "\n{bold}{title}{bold:#}")
    }

    /// Findings of the safety rules, the most severe first.
    fn findings(&self, out: &mut dyn Write) -> io::Result<()> {
        let details = &self.card.details;
        let read = details.files.iter().filter(|file| file.sha256.is_some()).count();
        if details.findings.is_empty() {
            let text = format!("no findings in {}", count(read, "file"));
            writeln!(out, "  {text}")?;
        }
        let shown = if self.verbose { usize::MAX } else { MOST_FINDINGS };
        for finding in details.findings.iter().take(shown) {
            self.finding(out, finding)?;
        }
        let more = details.findings.len().saturating_sub(shown);
        if more > 0 {
            writeln!(out, "  … {}, shown with -v", count(more, "more finding"))?;
        }
        if details.unread > 0 {
            writeln!(out, "  {} not read: the skill is too large", count(details.unread, "file"))?;
        }
        Ok(())
    }

    fn finding(&self, out: &mut dyn Write, finding: &Finding) -> io::Result<()> {
        let style = self.screen.style(match finding.severity {
            Severity::Error => RED,
            Severity::Warning => YELLOW,
            Severity::Note => GREEN,
        });
        let inner = finding.path.strip_prefix(&finding.skill_path).unwrap_or(&finding.path);
        let place = finding.place.map(|place| format!(":{}", place.start)).unwrap_or_default();
        let label = format!("{}[{}]", finding.severity.as_str(), finding.rule.id);
        let text = format!("{label}: {}{place}: {}", portable(inner), finding.message);
        let text = wrap(&short(&text), self.screen.width, 4, "    ");
        let rest = text.strip_prefix(&label).unwrap_or_default();
        writeln!(out, "  {style}{label}{style:#}{rest}")
    }
}

/// `~/.claude/skills/pdf (user)`
fn with_scope(place: String, origin: Provenance) -> String {
    match origin.scope {
        Some(scope) => format!("{place} ({})", scope.as_str()),
        None => place,
    }
}

/// The scalars in `metadata` without the version, which is in the title.
fn metadata(fields: &FieldValues) -> Option<String> {
    let Some(FieldValue::Mapping(entries)) = fields.get("metadata") else { return None };
    let pairs: Vec<String> = entries
        .iter()
        .filter(|(key, _)| key != "version")
        .map(|(key, value)| match value.text() {
            Some(text) => format!("{key}: {text}"),
            None => format!("{key}: …"),
        })
        .collect();
    (!pairs.is_empty()).then(|| pairs.join(", "))
}

/// Text on one line, not too long.
fn short(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}…", sanitize::folded(&text[..end]))),
        None => sanitize::folded(text),
    }
}

// Which agents load a skill, with one sentence for agents that behave alike.

/// Writes what agents do with the skill.
pub fn write_agents(out: &mut dyn Write, card: &SkillCard, screen: &Screen<'_>) -> io::Result<()> {
    let entry = &card.row.entry;
    let own = entry.description.as_deref().unwrap_or_default();
    let mut sentences: Vec<(Predicate, Vec<&Agent>)> = Vec::new();
    for verdict in &card.details.agents {
        let predicate = predicate(verdict, &entry.skill.name, own, screen);
        match sentences.iter_mut().find(|(known, _)| *known == predicate) {
            Some((_, agents)) => agents.push(verdict.agent),
            None => sentences.push((predicate, vec![verdict.agent])),
        }
    }
    for (predicate, agents) in sentences {
        let verb = match (predicate.loads, agents.len()) {
            (true, 1) => "loads it",
            (true, _) => "load it",
            (false, 1) => "does not load it",
            (false, _) => "do not load it",
        };
        let text = format!("{} {verb}{}", join_titles(&agents), predicate.rest);
        writeln!(out, "  {}", wrap(&short(&text), screen.width, 2, "    "))?;
    }
    Ok(())
}

/// What is said about some agents.
#[derive(PartialEq, Eq)]
struct Predicate {
    loads: bool,
    rest: String,
}

fn predicate(verdict: &AgentVerdict, name: &str, own: &str, screen: &Screen<'_>) -> Predicate {
    let rest = match &verdict.fate {
        Fate::Shown(entry) => {
            let alias = match &entry.title {
                Some(title) => format!(" as {} ({title})", entry.name),
                None if entry.name != name => format!(" as {}", entry.name),
                None => String::new(),
            };
            let characters = grouped(entry.description.chars().count() as u64);
            alias
                + &match verdict.description(own) {
                    Some(ShownDescription::Cut) => {
                        format!(", its description cut to {characters} characters")
                    }
                    Some(ShownDescription::Other) => {
                        format!(" with another description: {}", entry.description)
                    }
                    Some(ShownDescription::Whole) | None => String::new(),
                }
        }
        Fate::Shadowed(_, winner) => format!(": {} is shown instead", screen.path(winner)),
        Fate::Hidden(_, reason) => format!(" but hides it from the model: {reason}"),
        Fate::Unseen(_, reason) | Fate::Lost(reason) => format!(": {reason}"),
        Fate::Open => String::new(),
    };
    Predicate { loads: verdict.loads(), rest }
}

// The files of a skill as a tree, with sizes and marks.

/// Maximum files to show; the rest are counted.
const MOST_FILES: usize = 30;

/// Minimum columns for a name.
const LEAST_NAME: usize = 12;

/// Writes the tree.
pub fn write_tree(
    out: &mut dyn Write,
    details: &SkillDetails,
    verbose: bool,
    screen: &Screen<'_>,
) -> io::Result<()> {
    let shown = if verbose { usize::MAX } else { MOST_FILES };
    let lines = lines(details.files.iter().take(shown));
    let size = |line: &TreeLine<'_>| {
        line.file.filter(|file| file.kind == FileKind::Regular).map(|file| grouped(file.bytes))
    };
    let digits = lines.iter().filter_map(size).map(|size| size.len()).max().unwrap_or(0);
    let marked = lines.iter().filter_map(|line| line.file).map(|file| marks(file).len()).max();
    let behind = 2 + 2 + digits + 2 + marked.unwrap_or(0);
    let most = screen.width.map_or(usize::MAX, |all| all.saturating_sub(behind).max(LEAST_NAME));
    let names: Vec<Cow<'_, str>> = lines.iter().map(|line| cut(line.name.as_str(), most)).collect();
    let widest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    let (dim, mark) = (screen.style(DIM), screen.style(YELLOW));
    for (line, name) in lines.iter().zip(&names) {
        let Some(file) = line.file else {
            writeln!(out, "  {dim}{name}{dim:#}")?;
            continue;
        };
        write!(out, "  {}  {:>digits$}", pad(name, widest), size(line).unwrap_or_default())?;
        let marks = marks(file);
        match marks.is_empty() {
            true => writeln!(out)?,
            false => writeln!(out, "  {mark}{marks}{mark:#}")?,
        }
    }
    let more = details.files.len().saturating_sub(shown);
    if more > 0 {
        writeln!(out, "  … {}, shown with -v", count(more, "more file"))?;
    }
    let files = details.files.iter().filter(|file| file.kind == FileKind::Regular);
    let (number, bytes) = files
        .fold((0, 0_u64), |(number, bytes), file| (number + 1, bytes.saturating_add(file.bytes)));
    let bytes = grouped(bytes);
    writeln!(out, "  {}, {bytes} bytes", count(number, "file"))?;
    match &details.excess {
        None => Ok(()),
        Some(Excess::Entries) => writeln!(out, "  and more files than a skill may have"),
        Some(Excess::Depth(_)) => writeln!(out, "  and more, deeper than a skill may be"),
        Some(Excess::Path(_)) => {
            writeln!(out, "  and more, with longer paths than a skill may have")
        }
    }
}

/// A line of the tree: a file, or a directory before its files.
struct TreeLine<'a> {
    name: String,
    file: Option<&'a CardFile>,
}

fn lines<'a>(files: impl Iterator<Item = &'a CardFile>) -> Vec<TreeLine<'a>> {
    let mut lines = Vec::new();
    let mut open: Vec<&std::ffi::OsStr> = Vec::new();
    let named = |level: usize, name: &std::ffi::OsStr, end: &str| {
        format!("{}{}{end}", "  ".repeat(level), sanitize::line(&name.to_string_lossy()))
    };
    for file in files {
        let parts: Vec<&std::ffi::OsStr> =
            file.path.parent().unwrap_or(Path::new("")).iter().collect();
        let same = open.iter().zip(&parts).take_while(|(one, other)| one == other).count();
        for (level, part) in parts.iter().enumerate().skip(same) {
            lines.push(TreeLine { name: named(level, part, "/"), file: None });
        }
        open.clone_from(&parts);
        let end = if file.kind == FileKind::Directory { "/" } else { "" };
        let name = named(parts.len(), file.path.file_name().unwrap_or_default(), end);
        lines.push(TreeLine { name, file: Some(file) });
    }
    lines
}

/// Properties of a file that matter before an agent runs it.
fn marks(file: &CardFile) -> String {
    let mut marks: Vec<&str> = Vec::new();
    match file.kind {
        FileKind::Symlink => marks.push("link"),
        FileKind::Special(word) => marks.push(word),
        FileKind::Regular | FileKind::Directory => {}
    }
    if !is_part_of_skill(&file.path) {
        marks.push("never installed");
    }
    if file.executable {
        marks.push("executable");
    }
    if file.is_script {
        marks.push("script");
    }
    marks.join(" ")
}
