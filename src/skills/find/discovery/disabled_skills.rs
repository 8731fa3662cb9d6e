//! Skills that `skills disable` moved out of the directories that discovery searches.

use std::path::PathBuf;

use super::{DiscoveryOptions, providers, roots};
use crate::skills::files::parallel;
use crate::skills::find::disabled;
use crate::skills::find::scan::{self, Reading};
use crate::skills::find::settle::{Namespace, Precedence, settle};
use crate::skills::judge::opened::{self, OpenedSkill};
use crate::skills::judge::verdict::{Judged, Verdict};
use crate::skills::model::environment::Environment;
use crate::skills::model::scope::{Provenance, Scope};

#[derive(Debug)]
pub struct DisabledSkill<T> {
    /// Where it belongs.
    pub origin: Provenance,
    /// The skill.
    pub judged: Judged<T>,
    /// The file of an earlier disabled skill of its name with the same files.
    pub copy_of: Option<PathBuf>,
}

/// Reads the disabled skills of the chosen providers that pass the filters.
pub fn discover<T: Send>(
    environment: &Environment,
    options: &DiscoveryOptions,
    read: &(impl Fn(&OpenedSkill<'_>) -> Reading<Judged<T>> + Sync),
) -> Vec<DisabledSkill<T>> {
    let mut found: Vec<(Provenance, PathBuf)> = Vec::new();
    for scope in [Scope::Project, Scope::User] {
        for provider in &providers::all() {
            if !options.sources.accept(provider.id, Some(scope)) {
                continue;
            }
            let origin = Provenance { provider: Some(provider.id), scope: Some(scope) };
            // Other functions report problems with these directories.
            for (root, _) in roots(provider, scope, environment, &mut Vec::new()) {
                let Ok(site) = root.canonicalize() else { continue };
                let Some(room) = disabled::room_path(&site) else { continue };
                for name in disabled::names(&site).unwrap_or_default() {
                    let path = room.join(name.as_str());
                    if !found.iter().any(|(_, known)| *known == path) {
                        found.push((origin, path));
                    }
                }
            }
        }
    }
    let read_one = |(origin, path): &(Provenance, PathBuf)| {
        let (skill, open) = scan::open_skill(path);
        opened::open(skill, open.as_ref(), |opened| {
            let is_wanted = options.accepts(opened.skill);
            is_wanted.then(|| (*origin, read(opened).made))
        })
    };
    let read = parallel::map(&found, options.threads, read_one).into_iter().flatten();
    let (origins, mut skills): (Vec<Provenance>, Vec<Judged<T>>) = read.unzip();
    // Only to find copies: none of them is used.
    settle(&mut skills, Precedence::First, Namespace::Plugins, options.threads);
    let disabled = |(origin, mut judged): (Provenance, Judged<T>)| {
        let reason = "`skills disable`".to_owned();
        let copy_of = match std::mem::replace(&mut judged.verdict, Verdict::Disabled(reason)) {
            Verdict::Shadowed(shadow) => shadow.copy_of,
            _ => None,
        };
        DisabledSkill { origin, judged, copy_of }
    };
    origins.into_iter().zip(skills).map(disabled).collect()
}
