//! Decides which source a record may request. A record of the user may name any source. A record of
//! a project comes with the clone, so it may name only paths in the project and public sources.

use std::path::{Component, Path};

use crate::skills::find::manifest::trust::is_public;
use crate::skills::find::record::InstallRecord;
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::request::{Request, RequestedSource};
use crate::skills::model::source::{RecordedKind, SkillKind};
use crate::skills::put::update::UpdateState;

/// The source to request, or why there is none.
pub type Asked = Result<Request, Box<NotAsked>>;

/// A skill without a source to request.
#[derive(Debug)]
pub struct NotAsked {
    pub state: UpdateState,
    /// The reason.
    pub error: Error,
}

/// The source that a record requests.
pub fn asked(record: &InstallRecord, project: Option<&Path>) -> Asked {
    let name = &record.name;
    if let Some(owner) = &record.owner {
        let help = "`skills sync --upgrade` brings the skills of a manifest up to date";
        return Err(not(
            UpdateState::Managed,
            err!(Manifest, "the manifest `{owner}` manages it").help(help),
        ));
    }
    if record.kind == RecordedKind::Known(SkillKind::Inline) {
        let help = "install that manifest again to bring it up to date";
        return Err(not(
            UpdateState::Managed,
            err!(Manifest, "it is an inline skill of `{}`", record.source).help(help),
        ));
    }
    let Some(requested) = &record.requested else {
        let help =
            format!("install it again from its source, for example with `{}`", again(record));
        return Err(not(
            UpdateState::Unknown,
            err!(NotFound, "its record does not say which source was requested").help(help),
        ));
    };
    let unknown = |error: Error| not(UpdateState::Unknown, error);
    match (Request::recorded(requested).map_err(unknown)?, project) {
        (Some(request), None) => Ok(request),
        (None, None) => {
            let help = format!("install `{name}` again from its source");
            Err(unknown(err!(NotFound, "`{requested}` is not an absolute path").help(help)))
        }
        (request, Some(root)) => in_project(request, requested, root).map_err(|why| {
            let help = format!("if you trust it, run `skills install` for `{name}` yourself");
            not(
                UpdateState::Untrusted,
                err!(Unsafe, "the project's record names `{requested}`, {why}").help(help),
            )
        }),
    }
}

fn not(state: UpdateState, error: Error) -> Box<NotAsked> {
    Box::new(NotAsked { state, error })
}

/// The command that installs a skill again if its record lacks the source.
fn again(record: &InstallRecord) -> String {
    let source = match (&record.commit, record.source.split_once('@')) {
        // Its source names a commit, which never changes.
        (Some(_), Some((place, _))) => place,
        _ => record.source.as_str(),
    };
    format!("skills install '{source}'")
}

/// The source that a project's record requests, or why it must not.
fn in_project(
    request: Option<Request>,
    requested: &str,
    root: &Path,
) -> Result<Request, &'static str> {
    const OUTSIDE: &str = "which is not in the project, so it is not read";
    match request {
        Some(Request { what: RequestedSource::Path(_), .. }) => Err(OUTSIDE),
        Some(request) => {
            let is_public = match (request.location(), request.network()) {
                (Some(location), _) => is_public(location),
                (None, Some(source)) => source.address.is_public(),
                (None, None) => false,
            };
            match is_public {
                true => Ok(request),
                false => Err("which is not reached over https or ssh, so it is not fetched"),
            }
        }
        None => {
            let inner = Path::new(requested);
            let is_plain =
                |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
            if !inner.components().all(is_plain) {
                return Err(OUTSIDE);
            }
            let path = root.join(inner);
            // A clone can contain links that lead anywhere.
            match path.canonicalize() {
                Ok(real) if !real.starts_with(root) => Err(OUTSIDE),
                _ => Ok(Request::path(path)),
            }
        }
    }
}
