//! Changes several skills directories at once. Skills to install and remove can differ by
//! directory.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::ptr;

use crate::skills::find::record::InstallRecord;
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::name::SkillName;
use crate::skills::model::reporter::Reporter;
use crate::skills::model::source::SkillKind;
use crate::skills::put::install::candidate::Candidate;
use crate::skills::put::install::destination::real_path;
use crate::skills::put::install::plan::{self, Conflict, Decision, Standing};
use crate::skills::put::install::{
    InstallJob, InstallOptions, InstallSummary, OnConflict, run, source_files,
};

/// The changes to one skills directory.
#[derive(Debug, Clone)]
pub struct DirectoryChange<'a> {
    /// The directory; it is created if a skill is installed there.
    pub directory: PathBuf,
    /// Skills to install, each under its own name.
    pub install: Vec<&'a Candidate>,
    /// Skills to remove. A missing one is no error.
    pub remove: Vec<SkillName>,
}

/// Installs and removes skills in all of the directories, or in none: one transaction.
///
/// # Errors
/// Any failure, after every change was undone. Conflicts are not errors, but part of the summary.
pub fn change(
    changes: &[DirectoryChange<'_>],
    options: &InstallOptions,
    reporter: &dyn Reporter,
) -> Result<InstallSummary> {
    let mut together: Vec<&Candidate> = Vec::new();
    for change in changes {
        refuse_nesting(change)?;
        add_new(&mut together, &change.install);
    }
    source_files::refuse_too_large(together.iter().copied(), options.max_total_bytes)?;
    let decide = |standing: &Standing<'_>| decide(changes, standing, options, reporter);
    // Do not create a directory only to remove skills from it.
    let is_needed = |change: &&DirectoryChange<'_>| {
        !change.install.is_empty() || change.directory.symlink_metadata().is_ok()
    };
    let directories: Vec<PathBuf> =
        changes.iter().filter(is_needed).map(|change| change.directory.clone()).collect();
    run(&directories, options, reporter, &InstallJob { decide: &decide, names: &[] })
}

/// Decides about one directory, under any of its names.
fn decide<'a>(
    changes: &[DirectoryChange<'a>],
    standing: &Standing<'_>,
    options: &InstallOptions,
    reporter: &dyn Reporter,
) -> Result<Vec<Decision<'a>>> {
    let (mut install, mut remove): (Vec<&Candidate>, Vec<SkillName>) = (Vec::new(), Vec::new());
    let here = changes.iter().filter(|change| real_path(&change.directory) == standing.path);
    for change in here {
        add_new(&mut install, &change.install);
        for name in &change.remove {
            // A manifest or an update does not remove a skill that its user disabled.
            if !remove.contains(name) && !standing.is_disabled(name)? {
                remove.push(name.clone());
            }
        }
    }
    refuse_same_names(install.iter().copied())?;
    // A skill to install replaces the one of its name.
    remove.retain(|name| !install.iter().any(|candidate| candidate.name == *name));
    let mut decisions = plan::install(&install, standing, options, reporter)?;
    decisions.extend(plan::remove_all(&remove, standing, options, reporter)?);
    Ok(decisions)
}

impl InstallOptions {
    /// Whether the copy of a skill is made read-only, given its record.
    pub fn read_only_copy(&self, record: Option<&InstallRecord>) -> bool {
        match record.filter(|_| self.keep_modes) {
            Some(record) => record.read_only,
            None => self.read_only,
        }
    }

    /// Whether these conflicts keep everything else from being changed.
    pub fn refuses(&self, conflicts: &[Conflict]) -> bool {
        !conflicts.is_empty() && self.on_conflict == OnConflict::Refuse
    }
}

/// Adds candidates that are not in the list yet.
fn add_new<'a>(all: &mut Vec<&'a Candidate>, more: &[&'a Candidate]) {
    let known: Vec<*const Candidate> = all.iter().map(|one| ptr::from_ref(*one)).collect();
    // All directories usually get the same skills in the same order.
    let is_known = |at: usize, one: &Candidate| {
        known.get(at).is_some_and(|same| ptr::eq(*same, one))
            || known.iter().any(|same| ptr::eq(*same, one))
    };
    all.extend(
        more.iter().enumerate().filter(|(at, one)| !is_known(*at, one)).map(|(_, one)| *one),
    );
}

/// Refuses two skills of one name.
pub fn refuse_duplicates(candidates: &[Candidate]) -> Result<()> {
    refuse_same_names(candidates.iter())
}

fn refuse_same_names<'a>(candidates: impl Iterator<Item = &'a Candidate>) -> Result<()> {
    let mut seen: HashMap<&SkillName, &Candidate> = HashMap::new();
    for candidate in candidates {
        if let Some(first) = seen.insert(&candidate.name, candidate) {
            let [one, other] = [first, candidate].map(|one| one.source().display().to_string());
            let help = format!("`{one}` and `{other}` both have this name; leave one of them out");
            return Err(err!(Duplicate, "Duplicate skill name: {}", candidate.name)
                .at(&candidate.skill.path)
                .about(candidate.name.as_str(), Some(candidate.skill.kind().as_str()))
                .help(help));
        }
    }
    Ok(())
}

/// Refuses to copy a skill into itself, where it would grow with every run.
fn refuse_nesting(change: &DirectoryChange<'_>) -> Result<()> {
    let real = real_path(&change.directory);
    let lies_around = |candidate: &&&Candidate| {
        candidate.skill.kind() == SkillKind::Directory && real.starts_with(&candidate.skill.path)
    };
    change
        .install
        .iter()
        .find(lies_around)
        .map_or(Ok(()), |candidate| Err(nested(candidate, &real)))
}

fn nested(candidate: &Candidate, path: &Path) -> Error {
    let skill = candidate.skill.path.display();
    err!(Conflict, "`{}` lies inside the skill `{skill}`", path.display())
        .at(path)
        .help("choose another destination")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::skills::find::selection::Selection;
    use crate::skills::model::reporter::Silent;
    use crate::skills::model::request::Request;
    use crate::skills::put::install::candidate::CandidateOptions;
    use crate::skills::put::install::choice::CopyPolicy;
    use crate::skills::put::install::gather::gather;
    use crate::skills::put::install::{Done, OnConflict, SkillOutcome};

    /// New skills with this text below a directory.
    fn candidates(root: &Path, names: &[&str], text: &str) -> Vec<Candidate> {
        for name in names {
            fs::create_dir_all(root.join(name)).unwrap();
            let text = format!("---\nname: {name}\ndescription: Reads files.\n---\n{text}\n");
            fs::write(root.join(name).join("SKILL.md"), text).unwrap();
        }
        let requests = vec![Request::named(root).unwrap()];
        let selection = Selection { requests, ..Selection::default() };
        let (read, policy) = (CandidateOptions::default(), CopyPolicy::default());
        let gathered = gather(&selection, &[], &read, policy, &Silent).unwrap();
        gathered.into_candidates().unwrap().0
    }

    fn names(words: &[&str]) -> Vec<SkillName> {
        words.iter().map(|word| SkillName::new(word).unwrap()).collect()
    }

    fn done(outcomes: &[SkillOutcome]) -> Vec<(&str, Done)> {
        outcomes.iter().map(|one| (one.name.as_str(), one.action)).collect()
    }

    #[test]
    fn each_directory_gets_and_loses_its_own_skills() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let (one, other) = (root.join("one"), root.join("other"));
        let options = InstallOptions::default();
        let first = candidates(&root.join("source"), &["csv", "pdf"], "old");
        crate::skills::put::install::install(
            &first,
            &[one.clone(), other.clone()],
            &options,
            &Silent,
        )
        .unwrap();
        let second = candidates(&root.join("source"), &["pdf", "xml"], "new");
        let [csv, pdf, xml] = [&second[0], &second[1], &second[2]];
        let change = |directory: &Path, install: &[&'static str], remove: &[&str]| {
            let chosen = [csv, pdf, xml].into_iter();
            let chosen = chosen.filter(|one| install.contains(&one.name.as_str()));
            let (install, remove) = (chosen.collect(), names(remove));
            DirectoryChange { directory: directory.to_owned(), install, remove }
        };
        let changes = [
            change(&one, &["pdf"], &["csv", "never-there"]),
            change(&other, &["csv", "xml"], &["pdf"]),
            // A directory is not created just to remove skills from it.
            change(&root.join("third"), &[], &["pdf"]),
        ];
        let report = super::change(&changes, &options, &Silent).unwrap();
        assert!(report.conflicts.is_empty());
        assert_eq!(
            done(&report.outcomes),
            [
                ("pdf", Done::Updated),
                ("csv", Done::Removed),
                ("csv", Done::Unchanged),
                ("xml", Done::Created),
                ("pdf", Done::Removed),
            ]
        );
        let there = |directory: &Path, name: &str| directory.join(name).join("SKILL.md").exists();
        assert!(there(&one, "pdf") && !there(&one, "csv"));
        assert!(there(&other, "csv") && there(&other, "xml") && !there(&other, "pdf"));
        assert!(!root.join("third").exists());
    }

    #[test]
    fn a_conflict_stops_everything_or_only_itself() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let directory = root.join("skills");
        let options = InstallOptions::default();
        let old = candidates(&root.join("source"), &["csv", "pdf"], "old");
        crate::skills::put::install::install(
            &old,
            std::slice::from_ref(&directory),
            &options,
            &Silent,
        )
        .unwrap();
        fs::write(directory.join("csv/SKILL.md"), "edited").unwrap();
        let new = candidates(&root.join("source"), &["pdf", "xml"], "new");
        let install = new.iter().filter(|one| one.name.as_str() != "csv").collect();
        let change = DirectoryChange { directory, install, remove: names(&["csv"]) };
        let changes = [change];
        let refused = super::change(&changes, &options, &Silent).unwrap();
        assert_eq!((refused.conflicts.len(), refused.outcomes.len()), (1, 0));
        let leave = InstallOptions { on_conflict: OnConflict::Leave, ..options };
        let left = super::change(&changes, &leave, &Silent).unwrap();
        assert_eq!(left.conflicts.len(), 1);
        assert_eq!(done(&left.outcomes), [("pdf", Done::Updated), ("xml", Done::Created)]);
        assert_eq!(fs::read_to_string(root.join("skills/csv/SKILL.md")).unwrap(), "edited");
    }

    #[test]
    fn two_names_of_one_directory_are_one() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let found = candidates(&root.join("source"), &["csv", "pdf"], "text");
        let change = |candidate| DirectoryChange {
            directory: root.join("skills"),
            install: vec![candidate],
            remove: Vec::new(),
        };
        let changes = [change(&found[0]), change(&found[1])];
        let report = super::change(&changes, &InstallOptions::default(), &Silent).unwrap();
        assert_eq!(done(&report.outcomes), [("csv", Done::Created), ("pdf", Done::Created)]);
    }
}
