//! Skills that are made read-only, and stay so.

use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn only_skills_of_this_run_become_read_only() {
    for is_swapped in [false, true] {
        let scene = Scene::new();
        let planned = Operation { seal: true, ..operation(Action::Create, None) };
        let mut transaction = scene.transaction(vec![planned]);
        stage(&mut transaction, "new");
        transaction.commit().unwrap();
        if is_swapped {
            scene.swap_in("another");
        }
        transaction.finish(false, &Watch::silent()).unwrap();
        let mode = scene.path.join("pdf").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o222 == 0, !is_swapped, "{mode:o}");
        // Allow its removal.
        fs::set_permissions(scene.path.join("pdf"), PermissionsExt::from_mode(0o755)).unwrap();
    }
}

#[test]
fn a_skill_that_was_read_only_is_read_only_again_after_an_undo() {
    for (action, is_sealed) in
        [(Action::Remove, true), (Action::Replace, true), (Action::Remove, false)]
    {
        let scene = Scene::new();
        let old = scene.installed("old");
        let mode =
            |mode| fs::set_permissions(scene.path.join("pdf"), PermissionsExt::from_mode(mode));
        mode(if is_sealed { 0o555 } else { 0o755 }).unwrap();
        let planned = Operation { sealed: is_sealed, ..operation(action, old) };
        let mut transaction = scene.transaction(vec![planned]);
        if action == Action::Replace {
            stage(&mut transaction, "new");
        }
        transaction.commit().unwrap();
        assert_ne!(scene.text().as_deref(), Some("old"));
        undo(&mut transaction);
        assert_eq!(scene.text().as_deref(), Some("old"));
        let permissions = fs::metadata(scene.path.join("pdf")).unwrap().permissions();
        assert_eq!(permissions.mode() & 0o222 == 0, is_sealed);
        mode(0o755).unwrap();
    }
}
