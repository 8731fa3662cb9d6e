//! States that other programs can cause during a run.

#[cfg(unix)]
pub mod sealed;

use std::fs;

use tempfile::TempDir;

use crate::skills::find::record;
use crate::skills::put::install::transaction::*;
use crate::skills::text::document::SKILL_MD;

/// A skills directory with a staging directory beside it.
struct Scene {
    temp: TempDir,
    site: Directory,
    path: PathBuf,
}

impl Scene {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("skills");
        fs::create_dir(&path).unwrap();
        let site = Directory::open(&path).unwrap();
        Self { temp, site, path }
    }

    fn transaction(&self, operations: Vec<Operation>) -> Transaction<'_> {
        let staging = Staging::make(&self.site, &self.path).unwrap();
        let (site, site_path, kept) = (&self.site, self.path.as_path(), HashMap::new());
        let (backups, disabled) = (None, None);
        Transaction { site, site_path, staging, backups, operations, disabled, kept }
    }

    /// Puts a skill into the skills directory, and returns its device and inode.
    fn installed(&self, text: &str) -> Option<(u64, u64)> {
        skill(&self.path.join("pdf"), text);
        identity_of(&self.site, OsStr::new("pdf"))
    }

    fn text(&self) -> Option<String> {
        fs::read_to_string(self.path.join("pdf/SKILL.md")).ok()
    }

    /// The contents of the backups.
    fn kept(&self) -> Vec<String> {
        let Ok(backups) = fs::read_dir(self.temp.path().join(".skills-backup")) else {
            return Vec::new();
        };
        let text = |entry: io::Result<fs::DirEntry>| {
            fs::read_to_string(entry.unwrap().path().join("SKILL.md")).unwrap()
        };
        let mut texts: Vec<String> = backups.map(text).collect();
        texts.sort();
        texts
    }

    fn is_clean(&self) -> bool {
        !is_pending(&self.site, &self.path)
    }

    /// Replaces the skill by another directory.
    fn swap_in(&self, text: &str) {
        fs::rename(self.path.join("pdf"), self.temp.path().join("elsewhere")).unwrap();
        skill(&self.path.join("pdf"), text);
    }
}

fn skill(path: &Path, text: &str) {
    fs::create_dir(path).unwrap();
    fs::write(path.join("SKILL.md"), text).unwrap();
}

fn operation(action: Action, old: Option<(u64, u64)>) -> Operation {
    Operation {
        name: "pdf".to_owned(),
        action,
        new: None,
        new_digest: None,
        old,
        old_digest: None,
        backup: "pdf-now".to_owned(),
        edited: false,
        seal: false,
        sealed: false,
        disabled: false,
        kept: None,
    }
}

/// Stages a skill, and returns its operation.
fn stage(transaction: &mut Transaction<'_>, text: &str) {
    let name = SkillName::new("pdf").unwrap();
    let slot = transaction.slot(&name).unwrap();
    write(&slot, SKILL_MD, 0o644, text.as_bytes()).unwrap();
    let identity = transaction.identity(&name);
    let rooms = transaction.staging.rooms().unwrap();
    let digest = digest_of(&rooms.new, OsStr::new("pdf")).unwrap();
    let operation = &mut transaction.operations[0];
    (operation.new, operation.new_digest) = (identity, digest);
}

fn undo(transaction: &mut Transaction<'_>) {
    transaction.undo(None, &Watch::silent()).unwrap();
}

#[test]
fn a_directory_that_replaced_a_skill_meanwhile_is_not_replaced() {
    let scene = Scene::new();
    let old = scene.installed("old");
    let mut transaction = scene.transaction(vec![operation(Action::Replace, old)]);
    stage(&mut transaction, "new");
    scene.swap_in("another");
    let error = transaction.commit().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Conflict, "{error}");
    assert_eq!(scene.text().as_deref(), Some("another"));
    undo(&mut transaction);
    assert_eq!(scene.text().as_deref(), Some("another"));
    assert!(scene.is_clean());
}

#[test]
fn a_directory_that_replaced_a_skill_meanwhile_is_not_removed() {
    let scene = Scene::new();
    let old = scene.installed("old");
    let mut transaction = scene.transaction(vec![operation(Action::Remove, old)]);
    scene.swap_in("another");
    let error = transaction.commit().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Conflict, "{error}");
    assert_eq!(scene.text().as_deref(), Some("another"));
    undo(&mut transaction);
    assert_eq!(scene.text().as_deref(), Some("another"));
    assert!(scene.is_clean());
}

#[test]
fn a_file_that_appears_meanwhile_is_not_overwritten() {
    let scene = Scene::new();
    let mut transaction = scene.transaction(vec![operation(Action::Create, None)]);
    stage(&mut transaction, "new");
    // Even an empty directory is not ours to remove.
    fs::create_dir(scene.path.join("pdf")).unwrap();
    let error = transaction.commit().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Conflict, "{error}");
    undo(&mut transaction);
    assert_eq!(fs::read_dir(scene.path.join("pdf")).unwrap().count(), 0);
    assert!(scene.is_clean());
}

#[test]
fn undoing_restores_old_skills_and_backs_up_later_edits() {
    for is_edited in [false, true] {
        let scene = Scene::new();
        let old = scene.installed("old");
        let mut transaction = scene.transaction(vec![operation(Action::Replace, old)]);
        stage(&mut transaction, "new");
        transaction.commit().unwrap();
        assert_eq!(scene.text().as_deref(), Some("new"));
        if is_edited {
            fs::write(scene.path.join("pdf/SKILL.md"), "edited").unwrap();
        }
        undo(&mut transaction);
        assert_eq!(scene.text().as_deref(), Some("old"));
        assert_eq!(scene.kept(), if is_edited { vec!["edited"] } else { Vec::new() });
        assert!(scene.is_clean());
    }
}

#[test]
fn undoing_ignores_foreign_entries_and_backs_up_blocked_skills() {
    for action in [Action::Replace, Action::Remove] {
        let scene = Scene::new();
        let old = scene.installed("old");
        let mut transaction = scene.transaction(vec![operation(action, old)]);
        if action == Action::Replace {
            stage(&mut transaction, "new");
        }
        transaction.commit().unwrap();
        if action == Action::Replace {
            scene.swap_in("another");
        } else {
            skill(&scene.path.join("pdf"), "another");
        }
        // A dry run sees the state after recovery.
        let journal = Journal::new(None, transaction.operations.clone());
        journal.write(&transaction.staging.directory).unwrap();
        write(&transaction.staging.directory, INDEX, 0o644, b"").unwrap();
        assert!(preview(&scene.site, &scene.path).unwrap().moved.is_empty());
        undo(&mut transaction);
        assert_eq!(scene.text().as_deref(), Some("another"), "{action:?}");
        assert_eq!(scene.kept(), ["old"], "{action:?}");
        assert!(scene.is_clean());
    }
}

#[test]
fn undoing_a_published_run_restores_the_record() {
    let scene = Scene::new();
    let mut transaction = scene.transaction(vec![operation(Action::Create, None)]);
    stage(&mut transaction, "new");
    let index = Index::default();
    transaction
        .prepare(&index, &ReplacedSkills::default(), false, &crate::skills::model::reporter::Silent)
        .unwrap();
    transaction.commit().unwrap();
    transaction.publish().unwrap();
    let record = scene.path.join(record::FILE_NAME);
    fs::write(&record, "published").unwrap();
    transaction.undo(Some(&index), &Watch::silent()).unwrap();
    assert_eq!(fs::read_to_string(record).unwrap(), index.to_json().unwrap());
    assert_eq!(scene.text(), None);
    assert!(scene.is_clean());
}

#[test]
fn finishing_backs_up_only_edited_skills() {
    for (edited, edit, kept) in [
        (false, None, None),
        (true, None, Some("old")),
        (false, Some("edited meanwhile"), Some("edited meanwhile")),
    ] {
        for action in [Action::Replace, Action::Remove] {
            let scene = Scene::new();
            let old = scene.installed("old");
            let digest = digest_of(&scene.site, OsStr::new("pdf")).unwrap();
            let planned = Operation { edited, old_digest: digest, ..operation(action, old) };
            let mut transaction = scene.transaction(vec![planned]);
            if action == Action::Replace {
                stage(&mut transaction, "new");
            }
            if let Some(text) = edit {
                fs::write(scene.path.join("pdf/SKILL.md"), text).unwrap();
            }
            transaction.commit().unwrap();
            transaction.finish(false, &Watch::silent()).unwrap();
            let expected: Vec<&str> = kept.into_iter().collect();
            assert_eq!(scene.kept(), expected, "{action:?} {edited} {edit:?}");
            assert_eq!(transaction.take_kept().len(), expected.len());
            let there = (action == Action::Replace).then_some("new");
            assert_eq!(scene.text().as_deref(), there);
            assert!(scene.is_clean());
        }
    }
}

#[test]
fn a_removal_that_was_published_is_completed_and_named_by_the_next_run() {
    for is_concluded in [false, true] {
        let scene = Scene::new();
        let old = scene.installed("edited");
        let planned = Operation { edited: true, ..operation(Action::Remove, old) };
        let mut transaction = scene.transaction(vec![planned]);
        let silent = &crate::skills::model::reporter::Silent;
        transaction.prepare(&Index::default(), &ReplacedSkills::default(), false, silent).unwrap();
        transaction.commit().unwrap();
        transaction.publish().unwrap();
        if is_concluded {
            Journal::conclude(&transaction.staging.directory).unwrap();
        }
        drop(transaction);
        assert_eq!(preview(&scene.site, &scene.path).unwrap().removed, ["pdf"]);
        let recovery = recover(&scene.site, &scene.path, silent, 2).unwrap();
        assert_eq!(recovery.removed, ["pdf"]);
        assert!(scene.is_clean());
        if !is_concluded {
            assert_eq!(scene.kept(), ["edited"]);
            assert!(recovery.kept["pdf"].join(SKILL_MD).is_file());
        }
    }
}

/// Cancels after this many checks.
struct CancelsAfter(std::sync::atomic::AtomicUsize);

impl Reporter for CancelsAfter {
    fn cancelled(&self) -> Option<i32> {
        let count = |left: usize| left.checked_sub(1);
        let ordering = std::sync::atomic::Ordering::SeqCst;
        self.0.fetch_update(ordering, ordering, count).is_err().then_some(2)
    }
}

#[test]
fn the_next_run_completes_an_interrupted_cleanup() {
    // Before the first check, and during the removal.
    for asked in [0, 1] {
        let scene = Scene::new();
        let old = scene.installed("old");
        let digest = digest_of(&scene.site, OsStr::new("pdf")).unwrap();
        let planned = Operation { old_digest: digest, ..operation(Action::Remove, old) };
        let mut transaction = scene.transaction(vec![planned]);
        let silent = &crate::skills::model::reporter::Silent;
        transaction.prepare(&Index::default(), &ReplacedSkills::default(), false, silent).unwrap();
        transaction.commit().unwrap();
        transaction.publish().unwrap();
        let reporter = CancelsAfter(asked.into());
        let error = transaction.finish(false, &Watch::hurried(&reporter)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Interrupted);
        drop(transaction);
        if asked == 1 {
            // A partly removed skill must not look edited.
            fs::remove_file(staged(&scene).join("old/pdf/SKILL.md")).unwrap();
        }
        let recovery = recover(&scene.site, &scene.path, silent, 1).unwrap();
        assert_eq!((recovery.removed, recovery.kept.len()), (vec!["pdf".to_owned()], 0));
        assert!(scene.is_clean() && scene.kept().is_empty());
    }
}

#[test]
fn an_edited_skill_is_backed_up_even_after_a_signal() {
    let scene = Scene::new();
    let old = scene.installed("edited");
    let other = Operation { name: "csv".to_owned(), ..operation(Action::Remove, None) };
    let planned = Operation { edited: true, ..operation(Action::Remove, old) };
    let mut transaction = scene.transaction(vec![planned]);
    transaction.commit().unwrap();
    transaction.operations.insert(0, other);
    assert!(transaction.finish(false, &Watch::hurried(&CancelsAfter(0.into()))).is_err());
    assert_eq!(scene.kept(), ["edited"]);
    assert!(transaction.take_kept().contains_key("pdf"));
}

fn staged(scene: &Scene) -> PathBuf {
    let staging = Staging::left_behind(&scene.site, &scene.path).remove(0);
    staging.place.join(staging.name)
}

/// Cancels after this many steps.
struct Impatient(std::sync::atomic::AtomicUsize);

impl Reporter for Impatient {
    fn step(&self) {
        self.0.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
    }

    fn cancelled(&self) -> Option<i32> {
        self.is_impatient().then_some(2)
    }

    fn is_impatient(&self) -> bool {
        self.0.load(std::sync::atomic::Ordering::SeqCst) == 0
    }
}

#[test]
fn the_next_run_completes_an_interrupted_undo() {
    // After the undo, and during the removal.
    for steps in [0, 1] {
        let scene = Scene::new();
        let old = scene.installed("old");
        let mut transaction = scene.transaction(vec![operation(Action::Replace, old)]);
        stage(&mut transaction, "new");
        let silent = &crate::skills::model::reporter::Silent;
        transaction.prepare(&Index::default(), &ReplacedSkills::default(), false, silent).unwrap();
        transaction.commit().unwrap();
        let impatient = Impatient(steps.into());
        let error = transaction.undo(None, &Watch::undoing(&impatient, 1)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Interrupted);
        drop(transaction);
        assert!(!scene.is_clean());
        assert!(recover(&scene.site, &scene.path, silent, 1).unwrap().found);
        assert_eq!(scene.text().as_deref(), Some("old"));
        assert!(scene.is_clean() && scene.kept().is_empty());
    }
}
