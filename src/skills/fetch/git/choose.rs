//! Finds one skill of a repository by its name.

use std::path::Path;
use std::sync::Arc;

use crate::skills::fetch::git::Repositories;
use crate::skills::model::bundle::{Bundle, BundleOrigin, PackedSkill};
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::location::Location;
use crate::skills::text::document::Document;
use crate::skills::text::suggest;

impl Repositories {
    /// Reads the skill with this name, as if the user had named its path.
    ///
    /// # Errors
    /// Fails like [`Self::open`], and for no skill of this name, or several different ones.
    pub fn open_skill(
        &self,
        location: &Location,
        pin: Option<&str>,
        name: &str,
    ) -> Result<Arc<Bundle>> {
        let bundle = self.open(location, pin)?;
        let BundleOrigin::Commit(commit) = &bundle.origin else { return Ok(bundle) };
        let skills = bundle.skills();
        // The name in the front matter counts first, as for installing.
        let mut found: Vec<&PackedSkill> =
            skills.iter().filter(|skill| declared(skill).as_deref() == Some(name)).collect();
        if found.is_empty() {
            found = skills.iter().filter(|skill| directory(skill) == Some(name)).collect();
        }
        let Some(first) = found.first() else { return Err(missing(location, name, &skills)) };
        // Identical copies count as one skill.
        let digest = first.digest();
        if found.iter().any(|other| other.digest() != digest) {
            let places = found.iter().map(|skill| {
                let place = Location { path: skill.root.clone(), ..location.clone() };
                format!("`{place}`")
            });
            let places: Vec<String> = places.collect();
            let help = format!("name one of them: {}", places.join(", "));
            return Err(err!(
                Validation,
                "`{}` has different skills named `{name}`",
                location.repository
            )
            .help(help));
        }
        let place = Location { path: first.root.clone(), ..commit.location.clone() };
        self.open(&place, Some(&commit.id))
    }
}

/// The name in its front matter.
fn declared(skill: &PackedSkill) -> Option<String> {
    let bytes = skill.read(Path::new(&skill.skill_md))?;
    let text = String::from_utf8_lossy(&bytes);
    Document::parse(&text).string("name").map(str::to_owned)
}

/// The name of its directory.
fn directory(skill: &PackedSkill) -> Option<&str> {
    skill.root.rsplit('/').next().filter(|name| !name.is_empty())
}

fn missing(location: &Location, name: &str, skills: &[PackedSkill]) -> Error {
    let repository = &location.repository;
    let mut names: Vec<String> = skills
        .iter()
        .filter_map(|skill| declared(skill).or_else(|| directory(skill).map(str::to_owned)))
        .collect();
    names.sort_unstable();
    names.dedup();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let known = if names.is_empty() {
        "there are no skills".to_owned()
    } else {
        format!("available: {}", suggest::some(&names))
    };
    let help = suggest::help(name, names.iter().copied(), known);
    let revision = format!("for a revision, write `{repository}@{name}`");
    err!(NotFound, "no skill named `{name}` in `{repository}`").help(format!("{help}\n{revision}"))
}
