//! A directory that is replaced by a link during a run is not followed.
//!
//! No test depends on timing: each swaps just before a certain name is opened, or between two calls.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::skills::files::content::{self, Content, OpenDirectory};
use crate::skills::files::inventory::Inventory;
use crate::skills::files::{Directory, before_opening, digest};
use crate::skills::judge::fix;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::RepairScope;
use crate::skills::model::source::Skill;
use crate::skills::show::uri::{PathTrust, SkillUri};
use crate::skills::text::document::SKILL_MD;
use crate::tests::{Tree, good_text, text};
use crate::{Destination, Options, ValidationReport, install, validate};

/// Puts a link where a directory or file was.
fn swap(path: &Path, target: &Path) {
    let path: &PathBuf = &path.components().collect();
    fs::rename(path, path.with_extension("aside")).unwrap();
    symlink(target, path).unwrap();
}

fn directory_skill(path: &Path) -> Skill {
    Skill::in_directory(path, Some(SKILL_MD.into()))
}

/// The repair of a skill whose files did not change until it was planned.
fn planned(path: &Path) -> fix::Repair {
    fix::plan(&directory_skill(path), &JudgeOptions::default(), RepairScope::All).unwrap()
}

fn names(report: &ValidationReport) -> Vec<&str> {
    report.skills.iter().map(|skill| skill.name.as_str()).collect()
}

#[test]
fn a_skill_swapped_for_a_link_after_the_listing_is_not_read() {
    let tree = Tree::new();
    tree.good_skill("src/alpha");
    let beta = tree.good_skill("src/listed");
    let (swapped, outside) = (beta.clone(), tree.good_skill("outside"));
    before_opening("listed", move || swap(&swapped, &outside));
    let report = validate(tree.path("src"), &Options::new()).unwrap();
    assert_eq!(names(&report), ["alpha"]);
    let unread: Vec<_> = report.unread.into_iter().filter_map(|error| error.path).collect();
    assert!(beta.is_symlink());
    assert_eq!(unread, [beta]);
}

#[test]
fn a_group_swapped_for_a_link_after_the_listing_is_still_searched_where_it_was() {
    let tree = Tree::new();
    tree.good_skill("src/group/in-group");
    tree.skill("outside/in-group", "no front matter");
    let (group, outside) = (tree.path("src/group"), tree.path("outside"));
    before_opening("in-group", move || swap(&group, &outside));
    let report = validate(tree.path("src"), &Options::new()).unwrap();
    assert_eq!(names(&report), ["in-group"]);
    assert!(report.is_valid(), "{report:?}");
    assert!(tree.path("src/group").is_symlink());
}

#[test]
fn more_groups_than_stay_open_lead_nowhere_either() {
    let tree = Tree::new();
    for number in 0..200 {
        tree.good_skill(&format!("src/group-{number:03}/in-many"));
    }
    tree.skill("outside/in-many", "no front matter");
    let (src, outside) = (tree.path("src"), tree.path("outside"));
    before_opening("in-many", move || {
        (0..200).for_each(|number| swap(&src.join(format!("group-{number:03}")), &outside));
    });
    let report = validate(tree.path("src"), &Options::new()).unwrap();
    assert!(report.findings.iter().all(|one| one.rule == "duplicate-name"), "{report:?}");
    // Open directories are searched at their new place; the others are reported.
    assert!(report.skills.len() > 100, "{}", report.skills.len());
    assert_eq!(report.skills.len() + report.unread.len(), 200);
}

#[test]
fn a_promised_skill_swapped_for_a_link_is_not_read_through_it() {
    let tree = Tree::new();
    tree.good_skill("src/.claude/skills/alpha");
    let empty = tree.mkdir("src/.claude/skills/promised");
    tree.good_skill("src/.claude/skills/zeta");
    let outside = tree.skill("outside", &good_text("secret"));
    before_opening("promised", move || swap(&empty, &outside));
    let report = validate(tree.path("src"), &Options::new()).unwrap();
    assert_eq!(names(&report), ["alpha", "zeta"]);
    assert_eq!(report.unread.len(), 1);
    assert!(tree.path("src/.claude/skills/promised").is_symlink());
}

#[test]
fn a_source_swapped_for_a_link_after_it_was_resolved_is_refused() {
    for name in ["resolved", ""] {
        let tree = Tree::new();
        let source = tree.good_skill("src/resolved");
        tree.good_skill("outside/resolved");
        let (swapped, target) = (tree.path("src").join(name), tree.path("outside").join(name));
        before_opening("resolved", move || swap(&swapped, &target));
        assert!(validate(&source, &Options::new()).is_err(), "{name}");
    }
}

#[test]
fn a_file_skill_whose_directory_was_swapped_for_a_link_is_not_read() {
    let tree = Tree::new();
    let source = tree.write("guide-home/guide.md", good_text("guide"));
    tree.write("outside/guide.md", "no front matter");
    let (home, outside) = (tree.path("guide-home"), tree.path("outside"));
    before_opening("guide-home", move || swap(&home, &outside));
    match validate(&source, &Options::new()) {
        Ok(report) => assert!(report.findings.is_empty() && !report.is_valid(), "{report:?}"),
        Err(error) => assert!(error.message.contains("guide"), "{error}"),
    }
    assert!(tree.path("guide-home").is_symlink());
}

#[test]
fn a_skill_with_a_link_inside_is_copied_from_the_directory_that_was_opened() {
    let tree = Tree::new();
    let alpha = tree.good_skill("src/alpha");
    tree.write("src/alpha/own-references/guide.md", "own");
    tree.symlink("own-references/guide.md", "src/alpha/GUIDE.md");
    let outside = tree.good_skill("outside/alpha");
    tree.write("outside/alpha/GUIDE.md", "secret");
    tree.write("outside/alpha/secret.md", "secret");
    let swapped = alpha.clone();
    before_opening("own-references", move || swap(&swapped, &outside));
    let copies = tree.path("copies");
    let installed = install(tree.path("src"), &Destination::directory(&copies), &Options::new());
    assert!(alpha.is_symlink());
    match installed {
        Ok(_) => assert_eq!(tree.read("copies/alpha/GUIDE.md"), "own"),
        Err(error) => assert!(error.message.contains("changed while"), "{error}"),
    }
    assert!(!copies.join("alpha/secret.md").exists());
}

#[test]
fn a_linked_skill_md_is_read_from_the_directory_that_was_opened() {
    let tree = Tree::new();
    tree.write("src/alpha/text.md", good_text("alpha"));
    tree.symlink("text.md", "src/alpha/SKILL.md");
    tree.write("outside/text.md", good_text("secret"));
    tree.symlink("text.md", "outside/SKILL.md");
    tree.write("outside/other.md", good_text("other"));
    let (alpha, outside) = (tree.path("src/alpha"), tree.path("outside"));
    let directory = Directory::open(&alpha).unwrap();
    let read = || content::read_through(&alpha, &directory, Path::new(SKILL_MD));
    assert_eq!(read(), Content::Text(good_text("alpha")));
    swap(&alpha, &outside);
    assert_eq!(read(), Content::Text(good_text("alpha")));
    fs::remove_file(outside.join("SKILL.md")).unwrap();
    symlink("other.md", outside.join("SKILL.md")).unwrap();
    assert_eq!(read(), Content::Missing);
}

#[test]
fn a_file_is_read_from_the_skill_or_not_at_all() {
    let tree = Tree::new();
    let outside = tree.mkdir("outside/sub");
    tree.write("outside/sub/f", "secret");
    tree.write("outside/SKILL.md", "secret");
    for swapped in ["", "sub", "sub/f"] {
        let alpha = tree.good_skill("src/alpha");
        tree.write("src/alpha/sub/f", "own");
        let uri = SkillUri::parse("skill://alpha/sub/f").unwrap();
        let skill = directory_skill(&alpha);
        let read = || uri.read(&skill, PathTrust::Resolved);
        assert_eq!(read().unwrap().bytes, b"own");
        let target = outside.parent().unwrap().join(swapped);
        swap(&alpha.join(swapped), &target);
        assert!(read().is_err(), "{swapped}");
        fs::remove_dir_all(tree.path("src")).unwrap();
    }
}

#[test]
fn a_repair_never_writes_through_a_link() {
    let tree = Tree::new();
    let fixable = |name: &str| text(name, "").replace("description: ", "description: Use when: ");
    for swapped in ["alpha", "alpha/SKILL.md"] {
        let skill = tree.skill("src/alpha", &fixable("alpha"));
        tree.skill("outside/alpha", &fixable("alpha"));
        let before = tree.read("outside/alpha/SKILL.md");
        let repair = planned(&skill);
        assert_ne!(repair.before, repair.after);
        swap(&tree.path("src").join(swapped), &tree.path("outside").join(swapped));
        assert!(fix::apply(&repair).is_err(), "{swapped}");
        assert_eq!(tree.read("outside/alpha/SKILL.md"), before, "{swapped}");
        assert_eq!(fs::read_dir(tree.path("outside/alpha")).unwrap().count(), 1);
        fs::remove_dir_all(tree.path("src")).unwrap();
    }
}

#[test]
fn a_repair_makes_nothing_executable_through_a_link() {
    let tree = Tree::new();
    for swapped in ["", "scripts", "scripts/run.sh"] {
        let skill = tree.good_skill("src/alpha");
        for base in ["src", "outside"] {
            tree.write(format!("{base}/alpha/scripts/run.sh"), "#!/bin/sh\n");
            tree.chmod(format!("{base}/alpha/scripts/run.sh"), 0o644);
        }
        let repair = planned(&skill);
        assert_eq!(repair.executable[0].path, Path::new("scripts/run.sh"));
        let path = |base: &str| tree.path(base).join("alpha").join(swapped);
        swap(&path("src"), &path("outside"));
        assert!(fix::apply(&repair).is_err(), "{swapped}");
        assert_eq!(tree.mode("outside/alpha/scripts/run.sh"), 0o644, "{swapped}");
        fs::remove_dir_all(tree.path("src")).unwrap();
    }
}

#[test]
fn only_a_file_that_is_still_a_script_becomes_executable() {
    let tree = Tree::new();
    let skill = tree.good_skill("alpha");
    tree.write("alpha/scripts/run.sh", "#!/bin/sh\n");
    tree.chmod("alpha/scripts/run.sh", 0o644);
    let repair = planned(&skill);
    tree.write("alpha/scripts/run.sh", "a letter");
    assert!(fix::apply(&repair).is_err());
    assert_eq!(tree.mode("alpha/scripts/run.sh"), 0o644);
}

#[test]
fn a_repair_renames_no_file_over_another() {
    let tree = Tree::new();
    let skill = tree.mkdir(".claude/skills/alpha");
    tree.write(".claude/skills/alpha/skill.md", good_text("alpha"));
    let skill = Skill::in_directory(&skill, Some("skill.md".into()));
    let repair = fix::plan(&skill, &JudgeOptions::default(), RepairScope::All).unwrap();
    assert!(repair.rename.is_some());
    tree.write(".claude/skills/alpha/SKILL.md", "new");
    assert!(fix::apply(&repair).is_err());
    assert_eq!(tree.read(".claude/skills/alpha/SKILL.md"), "new");
    assert_eq!(tree.read(".claude/skills/alpha/skill.md"), good_text("alpha"));
}

#[test]
fn a_digest_is_of_the_files_that_were_listed_or_there_is_none() {
    let tree = Tree::new();
    let skill = tree.good_skill("src/alpha");
    tree.write("src/alpha/sub/f", "own");
    tree.write("outside/f", "xyz");
    let open = OpenDirectory::open_real(&skill).unwrap();
    let inventory = Inventory::of_directory(&open, None);
    assert!(digest::of_directory(&open.directory, &inventory).is_ok());
    swap(&skill.join("sub"), &tree.path("outside"));
    assert!(digest::of_directory(&open.directory, &inventory).is_err());
}
