//! Opens the manifest that a user names: a file, or the `skills.yaml` of a directory, an archive, a
//! git repository or an address, with the lock beside it.

use std::path::{Path, PathBuf};

use crate::skills::fetch::git::WantedFiles;
use crate::skills::fetch::{Remotes, archive};
use crate::skills::files::content::{self, Content};
use crate::skills::find::manifest::trust::{Concerns, ManifestOrigin, ManifestUse};
use crate::skills::find::manifest::{FILE_NAME, Manifest, ManifestTree, TreeRoot, parse};
use crate::skills::model::bundle::{Bundle, BundleOrigin};
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::location::{Location, pasted};
use crate::skills::model::request::{NetworkSource, RequestedSource};
use crate::skills::text::document::SKILL_MD_BYTES;

/// The extension of the lock beside a manifest.
pub const LOCK_EXTENSION: &str = "lock";

/// Maximum size of a lock; enough for more than 50,000 skills.
pub const LOCK_BYTES: u64 = 8 * 1024 * 1024;

/// Opens a manifest.
///
/// # Errors
/// An unreadable source, a missing or invalid manifest, and a foreign one that names what only a
/// manifest of the user may name.
pub fn open(named: &Path, remotes: &Remotes) -> Result<Manifest> {
    let remote = named.to_str().map(|text| RequestedSource::remote(text, named));
    match remote.transpose()?.flatten() {
        Some(RequestedSource::Git(location, _)) => return of_commit(&location, remotes),
        Some(RequestedSource::Network(source)) => return of_network(&source, remotes),
        _ => {}
    }
    if named.is_dir() {
        return Manifest::read(&named.join(FILE_NAME));
    }
    if archive::is_archive(named) && named.is_file() {
        return of_archive(named);
    }
    Manifest::read(named).map_err(|error| {
        let short = named.to_str().and_then(pasted::in_short);
        match short.filter(|_| error.kind == ErrorKind::NotFound) {
            Some((location, _)) => error.help(format!("did you mean `{location}`?")),
            None => error,
        }
    })
}

/// The manifest of a repository.
fn of_commit(location: &Location, remotes: &Remotes) -> Result<Manifest> {
    let wanted = WantedFiles {
        name: FILE_NAME,
        bytes: usize::try_from(SKILL_MD_BYTES).unwrap_or(usize::MAX),
        beside: lock_name,
        beside_bytes: usize::try_from(LOCK_BYTES).unwrap_or(usize::MAX),
    };
    let files = remotes.git.open_files(location, wanted)?;
    let directory = files.commit.location.path.clone();
    let path = PathBuf::from(files.commit.to_string()).join(&directory).join(&files.name);
    let tree = ManifestTree { root: TreeRoot::Commit(files.commit), directory, lock: files.beside };
    foreign(content::of_bytes(files.bytes), &path, tree)
}

/// The manifest of an archive, a site or a registry.
fn of_network(source: &NetworkSource, remotes: &Remotes) -> Result<Manifest> {
    let bundle = remotes.network.open(source, &[])?;
    let digest = match &bundle.origin {
        BundleOrigin::Network(fetched) => fetched.whole(),
        BundleOrigin::Archive | BundleOrigin::Commit(_) => None,
    };
    let root = TreeRoot::Network(source.address.clone(), digest);
    of_bundle(&bundle, &bundle.path, root)
}

/// The manifest of an archive on this machine.
fn of_archive(named: &Path) -> Result<Manifest> {
    let bundle = archive::open(named)?;
    let real = named.canonicalize().map_err(|error| Error::io("read", named, &error))?;
    of_bundle(&bundle, named, TreeRoot::Archive(real))
}

/// The manifest in a bundle: at its top, or in its only directory.
fn of_bundle(bundle: &Bundle, named: &Path, root: TreeRoot) -> Result<Manifest> {
    let Some(directory) = directory_of_manifest(bundle) else {
        return Err(err!(NotFound, "there is no {FILE_NAME} in `{}`", named.display()).at(named));
    };
    let inner = |name: &str| match directory.as_str() {
        "" => name.to_owned(),
        directory => format!("{directory}/{name}"),
    };
    let read = |name: &str, most: u64| match bundle.read_bounded(&inner(name), most) {
        Some(Ok(bytes)) => Ok(Some(bytes)),
        None => Ok(None),
        Some(Err(reason)) => {
            let place = named.join(inner(name));
            Err(Error { kind: ErrorKind::Manifest, ..Error::unreadable(place, &reason) })
        }
    };
    let bytes = read(FILE_NAME, SKILL_MD_BYTES)?.unwrap_or_default();
    let lock = read(&lock_name(FILE_NAME), LOCK_BYTES)?;
    let path = named.join(inner(FILE_NAME));
    let tree = ManifestTree { root, directory, lock };
    foreign(content::of_bytes(bytes), &path, tree)
}

fn directory_of_manifest(bundle: &Bundle) -> Option<String> {
    if bundle.has_file(Path::new(FILE_NAME)) {
        return Some(String::new());
    }
    let only = bundle.only_directory()?;
    bundle.has_file(&Path::new(only).join(FILE_NAME)).then(|| only.to_owned())
}

/// A manifest from somebody else. Forbidden content is refused before any source is read.
fn foreign(content: Content, path: &Path, tree: ManifestTree) -> Result<Manifest> {
    let wrong =
        |reason: &str| Error { kind: ErrorKind::Manifest, ..Error::unreadable(path, reason) };
    let text = match content {
        Content::Text(text) => text,
        Content::TooLarge { bytes } => return Err(wrong(&format!("{bytes} bytes are too many"))),
        _ => return Err(wrong("it is not UTF-8")),
    };
    let manifest = Manifest {
        origin: ManifestOrigin::Remote,
        tree: Some(tree),
        // Without a `skills` key, it means the skills beside it, never those of this machine.
        names_skills: true,
        ..parse::parse(&text, path)?
    };
    Concerns::of(&manifest).check(ManifestUse::Read)?;
    Ok(manifest)
}

/// The name of the lock beside a manifest.
fn lock_name(manifest: &str) -> String {
    Path::new(manifest).with_extension(LOCK_EXTENSION).to_string_lossy().into_owned()
}
