//! What was published, for people.

use std::io::{self, Write};
use std::path::Path;

use super::columns::{pad, width};
use super::styles::{BOLD, DIM, GREEN};
use super::{Screen, count, sanitize};
use crate::skills::put::install::Done;
use crate::skills::put::push::Published;

/// Two lines for each artifact of a layout, then one for all.
pub fn written(
    out: &mut dyn Write,
    published: &[Published],
    path: &Path,
    done: Done,
    screen: &Screen<'_>,
) -> io::Result<()> {
    let (bold, dim) = (screen.style(BOLD), screen.style(DIM));
    for one in published {
        let name = sanitize::line(&one.name);
        let kind = if one.is_collection { "  collection" } else { "" };
        writeln!(out, "{bold}{name}{bold:#}{dim}{kind}{dim:#}")?;
        writeln!(out, "  {dim}{}{dim:#}", one.digest)?;
    }
    let artifacts = count(published.len(), "artifact");
    writeln!(out, "{}: {artifacts}, {}", screen.path(path), done.as_str())
}

/// Two lines for each artifact, then one for all.
pub fn published(
    out: &mut dyn Write,
    published: &[Published],
    dry_run: bool,
    screen: &Screen<'_>,
) -> io::Result<()> {
    let verb = |one: &Published| match (one.uploaded, dry_run) {
        (false, _) => "unchanged",
        (true, false) => "pushed",
        (true, true) => "would push",
    };
    let verbs = published.iter().map(|one| verb(one).len()).max().unwrap_or_default();
    let margin = " ".repeat(verbs + 2);
    for one in published {
        let style = screen.style(if one.uploaded { GREEN } else { DIM });
        let (bold, dim) = (screen.style(BOLD), screen.style(DIM));
        let reference = one.reference();
        let place = sanitize::line(&reference);
        let others = one.tags.get(1..).unwrap_or_default().join(", ");
        let others = match others.as_str() {
            "" => String::new(),
            others => format!("also {others}"),
        };
        let used = margin.len() + width(&place) + 2 + width(&others);
        let gap = match (others.is_empty(), screen.fits(used)) {
            (true, _) => String::new(),
            (false, true) => "  ".to_owned(),
            (false, false) => format!("\n{margin}"),
        };
        let verb = pad(verb(one), verbs);
        writeln!(out, "{style}{verb}{style:#}  {bold}{place}{bold:#}{gap}{dim}{others}{dim:#}")?;
        writeln!(out, "{margin}{dim}{}{dim:#}", one.digest)?;
    }
    let number =
        |is_uploaded: bool| published.iter().filter(|one| one.uploaded == is_uploaded).count();
    let skills = published.iter().filter(|one| !one.is_collection).count();
    let collections = published.len() - skills;
    let mut what = vec![count(skills, "skill")];
    if collections > 0 {
        what.push(count(collections, "collection"));
    }
    let (sent, kept) = (number(true), number(false));
    let done = match (sent, kept, dry_run) {
        (0, _, _) => "nothing to upload".to_owned(),
        (sent, 0, false) => format!("{sent} pushed"),
        (sent, kept, false) => format!("{sent} pushed, {kept} unchanged"),
        (sent, _, true) => format!("{sent} would be pushed (dry run: nothing was uploaded)"),
    };
    writeln!(out, "{}: {done}", what.join(", "))
}
