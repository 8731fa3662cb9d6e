use crate::skills::files::digest::{self, TreeFile};
use crate::skills::find::record::recorded;
use crate::skills::model::source::{RecordedKind, SkillKind};
use crate::skills::put::install::plan::*;

fn tree(sha256: &str, foreign: &[&str]) -> Tree {
    let file = TreeFile {
        path: "SKILL.md".to_owned(),
        executable: false,
        bytes: 1,
        sha256: Some(digest::of_bytes(sha256.as_bytes())),
    };
    let foreign = foreign.iter().map(|path| (*path).to_owned()).collect();
    Tree { files: vec![file], foreign }
}

fn record(sha256: &str, read_only: bool) -> InstallRecord {
    InstallRecord {
        name: "pdf".to_owned(),
        source: String::new(),
        kind: RecordedKind::Known(SkillKind::Directory),
        requested: None,
        plugin: None,
        commit: None,
        artifact: None,
        owner: None,
        digest: tree(sha256, &[]).digest().unwrap(),
        installed_at: String::new(),
        tool: String::new(),
        read_only,
        linked: false,
        files: recorded(&tree(sha256, &[]), read_only, 0).unwrap(),
    }
}

#[test]
fn an_identical_skill_is_kept_recorded_or_gets_new_modes() {
    let existing = |edited| Existing { identity: None, edited, digest: None, disabled: false };
    let there = tree("1", &[]);
    let decide = |there: &Tree, record: Option<&InstallRecord>, read_only| {
        same(existing(true), there, record, read_only)
    };
    assert_eq!(decide(&there, None, false), Change::Record);
    assert_eq!(decide(&there, None, true), Change::Record);
    for read_only in [false, true] {
        let (same, other) = (record("1", read_only), record("2", read_only));
        assert_eq!(decide(&there, Some(&same), read_only), Change::Keep);
        // Somebody else updated it: only the record is wrong.
        assert_eq!(decide(&there, Some(&other), read_only), Change::Record);
        // It already has the wanted files, so it needs no backup.
        let replaced = Existing { digest: there.digest(), ..existing(false) };
        let change = decide(&there, Some(&same), !read_only);
        assert_eq!(change, Change::Replace(replaced));
        // Extra entries would be lost.
        let change = decide(&tree("1", &["link"]), Some(&same), !read_only);
        assert_eq!(change, Change::Keep);
    }
}
