//! What the copies that were installed break.

use std::path::Path;

use crate::skills::find::scan;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rule::RuleOptions;
use crate::skills::judge::{opened, validate, verdict};

/// The safety rules that an installed skill breaks with errors in any of its files. Its size was
/// decided about when it was installed.
pub fn broken_safety_rules(path: &Path) -> Vec<&'static str> {
    let rules =
        RuleOptions { deep: true, max_skill_bytes: Some(u64::MAX), ..RuleOptions::default() };
    let options =
        JudgeOptions { rules, errors_only: true, safety: true, ..JudgeOptions::default() };
    let (skill, open) = scan::open_skill(path);
    opened::open(skill, open.as_ref(), |opened| {
        let (checked, _) = validate::check_skill(opened, &options);
        verdict::broken_safety_rules(opened, checked.findings())
    })
}
