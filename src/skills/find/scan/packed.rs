//! The skills in an archive or a commit.

use std::path::Path;
use std::sync::Arc;

use crate::skills::find::plugins;
use crate::skills::find::scan::Scanner;
use crate::skills::model::bundle::Bundle;
use crate::skills::model::error::{Result, err};
use crate::skills::model::name::SkillName;
use crate::skills::model::source::Skill;

impl Scanner<'_> {
    /// Adds the skills of a bundle. A given name applies to its only skill.
    pub fn bundle(&mut self, bundle: &Arc<Bundle>, name: Option<&SkillName>) -> Result<()> {
        let base = bundle.base();
        let is_wanted = |root: &str| {
            let inner = Path::new(root.strip_prefix(base).unwrap_or(root).trim_start_matches('/'));
            let is_excluded = |part: &Path| self.options.exclude.matches(part);
            self.options.max_depth.is_none_or(|depth| inner.components().count() <= depth)
                && !inner.ancestors().any(is_excluded)
        };
        let mut packed = bundle.skills();
        self.met.names.extend_from_slice(bundle.others());
        if packed.is_empty() && !bundle.others().is_empty() {
            // None of its skills was asked for.
            return Ok(());
        }
        if packed.is_empty() {
            let path = if base.is_empty() { bundle.path.clone() } else { bundle.path.join(base) };
            return Err(err!(MissingSkillMd, "no skill in `{}`", path.display()).help(
                "a skill is a directory with a `SKILL.md`; check the path and the revision",
            ));
        }
        packed.retain(|packed| is_wanted(&packed.root));
        plugins::in_bundle(bundle).into_iter().for_each(|file| self.met.plugins.add(file));
        let outer = packed.iter().filter(|packed| !packed.is_nested).count();
        if name.is_some() && outer > 1 {
            return Err(err!(
                Manifest,
                "`{}` contains {outer} skills, not one",
                bundle.path.display()
            )
            .help("leave `name` out"));
        }
        for packed in packed {
            // Repositories are often a single skill. Archives should contain a directory.
            if packed.root.is_empty()
                && name.is_none()
                && bundle.commit().is_none()
                && !bundle.is_artifact()
            {
                self.met.rootless.push(bundle.path.clone());
            }
            let is_named = packed.root == base || (name.is_some() && !packed.is_nested);
            let name = name.filter(|_| !packed.is_nested);
            let skill = Skill::in_bundle(packed).renamed(name);
            self.visit(Skill { is_named, ..skill }, None);
        }
        Ok(())
    }
}
