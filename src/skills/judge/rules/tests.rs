use crate::skills::agents::AGENTS;
use crate::skills::judge::options::JudgeOptions;
use crate::skills::judge::rules::{agent_compat, *};
use crate::skills::judge::validate::check_text;

fn fires(rule: &'static Rule, text: &str) -> bool {
    let mut options = JudgeOptions::default();
    // An error of another rule would hide this one.
    if rule.is(&agent_compat::RULE) {
        options.rules.agents = AGENTS.iter().collect();
    }
    check_text("pdf", text, &options).iter().any(|finding| finding.rule.is(rule))
}

#[test]
fn examples_do_what_they_say() {
    for rule in RULES {
        if let Example::SkillMd(text) = rule.bad {
            assert!(fires(rule, text), "the bad example of {} is not found", rule.id);
        }
        if let Example::SkillMd(text) = rule.good {
            let findings = check_text("pdf", text, &JudgeOptions::default());
            let wrong: Vec<_> = findings
                .iter()
                .filter(|finding| finding.severity > Severity::Note || finding.rule.id == rule.id)
                .map(|finding| format!("{}: {}", finding.rule.id, finding.message))
                .collect();
            assert!(wrong.is_empty(), "the good example of {} has findings: {wrong:?}", rule.id);
        }
    }
}

#[test]
fn ids_are_unique_kebab_case_and_sorted_by_severity() {
    let ids: std::collections::HashSet<&str> = RULES.iter().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), RULES.len());
    assert!(RULES.iter().all(|rule| {
        rule.id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    }));
    assert!(RULES.windows(2).all(|pair| pair[0].severity >= pair[1].severity));
}

#[test]
fn texts_read_like_the_rest() {
    for rule in RULES {
        assert!(!rule.summary.ends_with('.'), "{}: a summary is not a sentence", rule.id);
        assert!(rule.why.ends_with(['.', '?']), "{}: why is made of sentences", rule.id);
    }
}

#[test]
fn an_unknown_rule_suggests_the_nearest() {
    let help = find("invalid-yml").unwrap_err().help.unwrap();
    assert!(help.contains("did you mean `invalid-yaml`?"), "{help}");
    assert!(find("zzz").unwrap_err().help.unwrap().contains("`skills rules` lists them all"));
}
