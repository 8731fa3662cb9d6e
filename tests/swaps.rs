//! A directory that is replaced by a link during a run is not followed.
//!
//! No test depends on timing: each swaps between two steps of the code.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use skills::internal::files::content::Content;
use skills::internal::files::digest;
use skills::internal::files::directory::OpenDirectory;
use skills::internal::files::inventory::{Inventory, InventoryDepth};
use skills::internal::files::links;
use skills::internal::files::platform::Directory;
use skills::internal::find::resolve;
use skills::internal::find::scan::{self, Reading, Scan, ScanOptions};
use skills::internal::judge::fix;
use skills::internal::judge::opened::OpenedSkill;
use skills::internal::judge::options::JudgeOptions;
use skills::internal::judge::rule::RepairScope;
use skills::internal::model::source::{Skill, Source};
use skills::internal::put::install::candidate::{self, CandidateOptions};
use skills::internal::show::uri::{PathTrust, SkillUri};
use skills::internal::text::document::SKILL_MD;

use crate::harness::{Sandbox, good_text, text};

/// Puts a link where a directory or file was.
fn swap(path: &Path, target: &Path) {
    let path: &PathBuf = &path.components().collect();
    fs::rename(path, path.with_extension("aside")).unwrap();
    symlink(target, path).unwrap();
}

/// The directory of a skill that has this text.
fn skill(sandbox: &Sandbox, directory: &str, text: &str) -> PathBuf {
    sandbox.skill(directory, text).parent().unwrap().to_owned()
}

/// The directory of a skill without any fault.
fn good(sandbox: &Sandbox, directory: &str) -> PathBuf {
    sandbox.good_skill(directory).parent().unwrap().to_owned()
}

/// Scans with one thread; calls `then` after reading the skill of this name.
fn scanned(root: &Path, name: &str, then: impl Fn() + Sync) -> (Vec<(String, Content)>, Scan) {
    let read = |opened: &OpenedSkill<'_>| {
        let made = (opened.skill.name.clone(), opened.content.clone());
        drop(opened.inventory(InventoryDepth::Through));
        if opened.skill.name == name {
            then();
        }
        Reading { made, nested: Vec::new() }
    };
    let options = ScanOptions { threads: 1, ..ScanOptions::default() };
    scan::scan(&[(Source::Directory(root.to_owned()), None)], &options, &read).unwrap()
}

fn directory_skill(path: &Path) -> Skill {
    Skill::in_directory(path, Some(SKILL_MD.into()))
}

/// The repair of a skill whose files did not change until it was planned.
fn planned(path: &Path) -> fix::Repair {
    fix::plan(&directory_skill(path), &JudgeOptions::default(), RepairScope::All).unwrap()
}

#[test]
fn a_skill_swapped_for_a_link_after_the_listing_is_not_read() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("src/alpha");
    let beta = good(&sandbox, "src/beta");
    let outside = good(&sandbox, "outside");
    let (skills, scan) = scanned(&sandbox.path("src"), "alpha", || swap(&beta, &outside));
    let names: Vec<&str> = skills.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["alpha"]);
    let unreadable: Vec<_> = scan.unreadable.into_iter().filter_map(|error| error.path).collect();
    assert_eq!(unreadable, [beta]);
}

#[test]
fn a_group_swapped_for_a_link_after_the_listing_is_still_searched_where_it_was() {
    let sandbox = Sandbox::new();
    sandbox.skill("src/group/beta", &good_text("beta"));
    sandbox.skill("outside/beta", &good_text("secret"));
    // Read after `group` has been listed, and before anything in it is opened.
    sandbox.good_skill("src/zeta");
    let (group, outside) = (sandbox.path("src/group"), sandbox.path("outside"));
    let (skills, scan) = scanned(&sandbox.path("src"), "zeta", || swap(&group, &outside));
    let beta = skills.iter().find(|(name, _)| name == "beta");
    assert_eq!(beta.unwrap().1, Content::Text(good_text("beta")));
    assert!(scan.unreadable.is_empty(), "{:?}", scan.unreadable);
}

#[test]
fn more_groups_than_stay_open_lead_nowhere_either() {
    let sandbox = Sandbox::new();
    for number in 0..200 {
        sandbox.skill(&format!("src/group-{number:03}/beta"), &good_text("beta"));
    }
    sandbox.skill("outside/beta", &good_text("secret"));
    sandbox.good_skill("src/zeta");
    let outside = sandbox.path("outside");
    let (skills, scan) = scanned(&sandbox.path("src"), "zeta", || {
        for number in 0..200 {
            swap(&sandbox.path(format!("src/group-{number:03}")), &outside);
        }
    });
    let secret = Content::Text(good_text("secret"));
    assert!(skills.iter().all(|(_, content)| *content != secret));
    // Open directories are searched at their new place; the others are reported.
    assert!(skills.len() > 100, "{}", skills.len());
    assert_eq!(skills.len() - 1 + scan.unreadable.len(), 200);
}

#[test]
fn a_promised_skill_swapped_for_a_link_is_not_read_through_it() {
    let sandbox = Sandbox::new();
    sandbox.good_skill("src/.claude/skills/alpha");
    let empty = sandbox.mkdir("src/.claude/skills/empty");
    sandbox.good_skill("src/.claude/skills/zeta");
    let outside = skill(&sandbox, "outside", &good_text("secret"));
    let (skills, scan) = scanned(&sandbox.path("src"), "zeta", || swap(&empty, &outside));
    let names: Vec<&str> = skills.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["alpha", "zeta"]);
    assert_eq!(scan.unreadable.len(), 1);
}

#[test]
fn a_source_swapped_for_a_link_after_it_was_resolved_is_refused() {
    let sandbox = Sandbox::new();
    let alpha = good(&sandbox, "src/alpha");
    let outside = good(&sandbox, "outside/alpha");
    let parents = (alpha.parent().unwrap(), outside.parent().unwrap());
    for (swapped, target) in [(alpha.as_path(), outside.as_path()), parents] {
        let source = resolve::resolve(&alpha).unwrap();
        swap(swapped, target);
        let read = |opened: &OpenedSkill<'_>| Reading {
            made: opened.skill.name.clone(),
            nested: Vec::new(),
        };
        let options = ScanOptions::default();
        assert!(scan::scan(&[(source, None)], &options, &read).is_err());
        fs::remove_file(swapped).unwrap();
        fs::rename(swapped.with_extension("aside"), swapped).unwrap();
    }
}

#[test]
fn a_file_skill_whose_directory_was_swapped_for_a_link_is_not_read() {
    let sandbox = Sandbox::new();
    sandbox.write("src/guide.md", good_text("guide"));
    sandbox.write("outside/guide.md", good_text("secret"));
    let source = resolve::resolve(&sandbox.path("src/guide.md")).unwrap();
    swap(&sandbox.path("src"), &sandbox.path("outside"));
    let read =
        |opened: &OpenedSkill<'_>| Reading { made: opened.content.clone(), nested: Vec::new() };
    let contents = scan::scan(&[(source, None)], &ScanOptions::default(), &read);
    let contents = contents.map(|(contents, _)| contents).unwrap_or_default();
    assert!(!contents.iter().any(|content| matches!(content, Content::Text(_))), "{contents:?}");
}

#[test]
fn a_skill_with_a_link_inside_is_copied_from_the_directory_that_was_opened() {
    let sandbox = Sandbox::new();
    let alpha = good(&sandbox, "src/alpha");
    sandbox.write("src/alpha/references/guide.md", "own");
    sandbox.symlink("references/guide.md", "src/alpha/GUIDE.md");
    let outside = good(&sandbox, "outside/alpha");
    sandbox.write("outside/alpha/secret.md", "secret");
    let read = |opened: &OpenedSkill<'_>| {
        swap(&alpha, &outside);
        candidate::read(opened, &CandidateOptions::default())
    };
    let options = ScanOptions { threads: 1, ..ScanOptions::default() };
    let source = Source::Directory(sandbox.path("src"));
    let (judged, _) = scan::scan(&[(source, None)], &options, &read).unwrap();
    let candidate = judged.into_iter().next().unwrap().made.candidate.unwrap();
    let paths: Vec<String> =
        candidate.items.iter().map(|item| item.path.display().to_string()).collect();
    assert!(paths.contains(&"references/guide.md".to_owned()), "{paths:?}");
    assert!(!paths.contains(&"secret.md".to_owned()), "{paths:?}");
}

#[test]
fn a_linked_skill_md_is_read_from_the_directory_that_was_opened() {
    let sandbox = Sandbox::new();
    sandbox.write("src/alpha/text.md", good_text("alpha"));
    sandbox.symlink("text.md", "src/alpha/SKILL.md");
    sandbox.write("outside/text.md", good_text("secret"));
    sandbox.symlink("text.md", "outside/SKILL.md");
    sandbox.write("outside/other.md", good_text("other"));
    let (alpha, outside) = (sandbox.path("src/alpha"), sandbox.path("outside"));
    let directory = Directory::open(&alpha).unwrap();
    let read = || links::read_through(&alpha, &directory, Path::new(SKILL_MD));
    assert_eq!(read(), Content::Text(good_text("alpha")));
    swap(&alpha, &outside);
    assert_eq!(read(), Content::Text(good_text("alpha")));
    fs::remove_file(outside.join("SKILL.md")).unwrap();
    symlink("other.md", outside.join("SKILL.md")).unwrap();
    assert_eq!(read(), Content::Missing);
}

#[test]
fn a_file_is_read_from_the_skill_or_not_at_all() {
    let sandbox = Sandbox::new();
    let outside = sandbox.mkdir("outside/sub");
    sandbox.write("outside/sub/f", "secret");
    sandbox.write("outside/SKILL.md", "secret");
    for swapped in ["", "sub", "sub/f"] {
        let alpha = good(&sandbox, "src/alpha");
        sandbox.write("src/alpha/sub/f", "own");
        let uri = SkillUri::parse("skill://alpha/sub/f").unwrap();
        let skill = directory_skill(&alpha);
        let read = || uri.read(&skill, PathTrust::Resolved);
        assert_eq!(read().unwrap().bytes, b"own");
        let target = outside.parent().unwrap().join(swapped);
        swap(&alpha.join(swapped), &target);
        assert!(read().is_err(), "{swapped}");
        fs::remove_dir_all(sandbox.path("src")).unwrap();
    }
}

#[test]
fn a_repair_never_writes_through_a_link() {
    let sandbox = Sandbox::new();
    let fixable = |name: &str| text(name, "").replace("description: ", "description: Use when: ");
    for swapped in ["alpha", "alpha/SKILL.md"] {
        let skill = skill(&sandbox, "src/alpha", &fixable("alpha"));
        sandbox.skill("outside/alpha", &fixable("alpha"));
        let before = sandbox.read("outside/alpha/SKILL.md");
        let repair = planned(&skill);
        assert_ne!(repair.before, repair.after);
        swap(&sandbox.path("src").join(swapped), &sandbox.path("outside").join(swapped));
        assert!(fix::apply(&repair).is_err(), "{swapped}");
        assert_eq!(sandbox.read("outside/alpha/SKILL.md"), before, "{swapped}");
        assert_eq!(fs::read_dir(sandbox.path("outside/alpha")).unwrap().count(), 1);
        fs::remove_dir_all(sandbox.path("src")).unwrap();
    }
}

#[test]
fn a_repair_makes_nothing_executable_through_a_link() {
    let sandbox = Sandbox::new();
    for swapped in ["", "scripts", "scripts/run.sh"] {
        let skill = good(&sandbox, "src/alpha");
        for base in ["src", "outside"] {
            sandbox.write(format!("{base}/alpha/scripts/run.sh"), "#!/bin/sh\n");
            sandbox.chmod(format!("{base}/alpha/scripts/run.sh"), 0o644);
        }
        let repair = planned(&skill);
        assert_eq!(repair.executable[0].path, Path::new("scripts/run.sh"));
        let path = |base: &str| sandbox.path(base).join("alpha").join(swapped);
        swap(&path("src"), &path("outside"));
        assert!(fix::apply(&repair).is_err(), "{swapped}");
        assert_eq!(sandbox.mode("outside/alpha/scripts/run.sh"), 0o644, "{swapped}");
        fs::remove_dir_all(sandbox.path("src")).unwrap();
    }
}

#[test]
fn only_a_file_that_is_still_a_script_becomes_executable() {
    let sandbox = Sandbox::new();
    let skill = good(&sandbox, "alpha");
    sandbox.write("alpha/scripts/run.sh", "#!/bin/sh\n");
    sandbox.chmod("alpha/scripts/run.sh", 0o644);
    let repair = planned(&skill);
    sandbox.write("alpha/scripts/run.sh", "a letter");
    assert!(fix::apply(&repair).is_err());
    assert_eq!(sandbox.mode("alpha/scripts/run.sh"), 0o644);
}

#[test]
fn a_repair_renames_no_file_over_another() {
    let sandbox = Sandbox::new();
    let skill = sandbox.mkdir(".claude/skills/alpha");
    sandbox.write(".claude/skills/alpha/skill.md", good_text("alpha"));
    let skill = Skill::in_directory(&skill, Some("skill.md".into()));
    let repair = fix::plan(&skill, &JudgeOptions::default(), RepairScope::All).unwrap();
    assert!(repair.rename.is_some());
    sandbox.write(".claude/skills/alpha/SKILL.md", "new");
    assert!(fix::apply(&repair).is_err());
    assert_eq!(sandbox.read(".claude/skills/alpha/SKILL.md"), "new");
    assert_eq!(sandbox.read(".claude/skills/alpha/skill.md"), good_text("alpha"));
}

#[test]
fn a_digest_is_of_the_files_that_were_listed_or_there_is_none() {
    let sandbox = Sandbox::new();
    let skill = good(&sandbox, "src/alpha");
    sandbox.write("src/alpha/sub/f", "own");
    sandbox.write("outside/f", "xyz");
    let open = OpenDirectory::open_real(&skill).unwrap();
    let inventory = Inventory::of_directory(&open, None);
    assert!(digest::of_directory(&open.directory, &inventory).is_ok());
    swap(&skill.join("sub"), &sandbox.path("outside"));
    assert!(digest::of_directory(&open.directory, &inventory).is_err());
}
