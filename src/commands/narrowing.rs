//! Leaves out unchanged skills and known findings, for `skills validate`.

use std::collections::HashSet;
use std::path::Path;

use crate::cli::printer::Printer;
use crate::cli::settings::{BaselineUse, ValidateSettings};
use crate::output::{count, sanitize};
use crate::skills::fetch::git::Changes;
use crate::skills::judge::baseline::Baseline;
use crate::skills::judge::rule::CheckedSkill;
use crate::skills::judge::validate::Validation;
use crate::skills::model::error::{Result, err};

/// Which skills and findings count.
pub struct Narrowing {
    changes: Option<Changes>,
    baseline: Option<Baseline>,
}

impl Narrowing {
    /// Asks git for changed files, and reads the known findings.
    pub fn of(settings: &ValidateSettings) -> Result<Self> {
        let context = &settings.context;
        let changes = settings
            .changed
            .as_ref()
            .map(|base| Changes::since(base.as_deref(), &context.directory, &context.environment));
        let baseline = match &settings.baseline {
            Some(BaselineUse::Read(path)) => Some(Baseline::read(path)?),
            _ => None,
        };
        Ok(Self { changes: changes.transpose()?, baseline })
    }

    /// Whether finding no skill at all is fine: all of them may have been deleted.
    pub const fn allows_none(&self) -> bool {
        self.changes.is_some()
    }

    /// Leaves out the rest, and reports how much that is.
    pub fn apply(&self, validation: &mut Validation, printer: &Printer) -> Result<()> {
        let all = validation.skills.len();
        if let Some(changes) = &self.changes {
            let outside =
                validation.skills.iter().find(|one| !one.skill.path.starts_with(&changes.root));
            if let Some(outside) = outside {
                let path = outside.skill.source_path();
                let root = changes.root.display();
                return Err(err!(Usage, "`{path}` is not in the repository that `--changed` asks")
                    .help(format!("name sources below `{root}`")));
            }
            let is_changed = |checked: &CheckedSkill| {
                let inline = checked.skill.inline();
                changes.touch(inline.map_or(&checked.skill.path, |inline| &inline.manifest))
            };
            validation.keep(is_changed, |manifest| changes.touch(manifest));
            let (left, base) = (validation.skills.len(), sanitize::line(&changes.base));
            let verb = if left == 1 { "differs" } else { "differ" };
            printer.note(&format!("{left} of {} {verb} from `{base}`", count(all, "skill")));
        }
        if let Some(baseline) = &self.baseline {
            let Validation { skills, findings, .. } = validation;
            let judged: HashSet<&Path> =
                skills.iter().map(|one| one.skill.path.as_path()).collect();
            let is_judged = |path: &Path| path.ancestors().any(|above| judged.contains(above));
            let compared = baseline.remove_known(findings, is_judged);
            if compared.known > 0 {
                let known = count(compared.known, "known finding");
                printer.note(&format!("{known} left out, which the baseline lists"));
            }
            if compared.gone > 0 {
                let gone = count(compared.gone, "finding");
                printer.note(&format!(
                    "{gone} of the baseline no longer found; `--write-baseline` updates it"
                ));
            }
        }
        Ok(())
    }
}
