//! Archives by their address: downloaded into the cache, checked, and read from there.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Network;
use crate::skills::files::digest::{Digest, FileHash};
use crate::skills::files::platform;
use crate::skills::find::announce::Progress;
use crate::skills::find::archive::{self, ARCHIVE_BYTES, ArchiveFormat};
use crate::skills::find::cache::{Blob, Cache, Shelf};
use crate::skills::find::http::{Expected, HttpRequest, Outcome, Url};
use crate::skills::model::address::{Address, Pins};
use crate::skills::model::bundle::{Artifact, Bundle, BundleOrigin, Fetched};
use crate::skills::model::error::{ErrorKind, Result, err};

/// What a server called an archive last.
#[derive(Debug, Serialize, Deserialize)]
struct LastAnswer {
    digest: Digest,
    etag: Option<String>,
}

/// Reads an archive.
pub(super) fn read(network: &Network, address: &Address, pins: &Pins) -> Result<Bundle> {
    let wanted = wanted(address, pins)?;
    let blob = blob(network, address, wanted)?;
    let digest = Digest::from(blob.hash);
    let path = PathBuf::from(address.place().to_string());
    let mut bundle = unpack(&path, blob.file)?;
    let source = Address::Archive { url: place(address), digest: Some(digest) }.to_string();
    let artifacts = vec![Artifact { root: String::new(), digest, source }];
    bundle.origin =
        BundleOrigin::Network(Fetched { address: address.clone(), artifacts, others: Vec::new() });
    Ok(bundle)
}

/// The digest that an archive has now.
pub(super) fn current(network: &Network, address: &Address) -> Result<Pins> {
    let digest = match address.digest() {
        Some(digest) => digest,
        None => blob(network, address, None)?.hash.into(),
    };
    Ok(Pins { whole: Some(digest), ..Pins::default() })
}

/// The digest that the user or a lock asks for.
fn wanted(address: &Address, pins: &Pins) -> Result<Option<Digest>> {
    match (address.digest(), pins.whole) {
        (Some(named), Some(pinned)) if named != pinned => {
            Err(err!(Validation, "`{address}` is pinned to {pinned}")
                .help("use `skills lock --upgrade` to take the digest of the address"))
        }
        (named, pinned) => Ok(named.or(pinned)),
    }
}

/// The address without a digest.
fn place(address: &Address) -> String {
    address.place().to_string()
}

/// The bytes of an archive: those with the wanted digest, else those that are there now.
fn blob(network: &Network, address: &Address, wanted: Option<Digest>) -> Result<Blob> {
    let cache = network.cache(Shelf::Archives)?;
    let question = place(address);
    if let Some(blob) = wanted.map(|digest| cache.blob(digest.into())).transpose()?.flatten() {
        return Ok(blob);
    }
    let url = url_of(&question)?;
    let last = cache.answer(&question);
    let last: Option<LastAnswer> = last.and_then(|text| serde_json::from_slice(&text).ok());
    // What the server had last is of use only if it is still here.
    let known = last.filter(|_| wanted.is_none());
    let known = known.and_then(|last| Some((cache.blob(last.digest.into()).ok()??, last.etag)));
    if network.is_offline()
        && let Some((blob, _)) = known
    {
        return Ok(blob);
    }
    let etag = known.as_ref().and_then(|(_, etag)| etag.clone());
    if !network.is_offline() {
        (network.announce)(Progress::Fetching(&question));
    }
    let mut request = HttpRequest::get(url.clone());
    if let Some(etag) = etag {
        request = request.header("if-none-match", etag);
    }
    let expected = Expected { hash: wanted.map(FileHash::from), bytes: None, limit: ARCHIVE_BYTES };
    let got = download(network, &cache, &request, expected).map_err(|error| {
        let is_other = wanted.is_some() && error.kind == ErrorKind::Validation;
        if is_other { error.help(OTHER) } else { error }
    })?;
    match (got, known) {
        (Some((blob, etag, content_type)), _) => {
            check_format(Path::new(&question), &blob.file, content_type.as_deref())?;
            let answer = LastAnswer { digest: blob.hash.into(), etag };
            let answer = serde_json::to_vec(&answer).unwrap_or_default();
            // Without it, only `--offline` knows less.
            let _ = cache.keep_answer(&question, &answer);
            Ok(blob)
        }
        (None, Some((blob, _))) => Ok(blob),
        (None, None) => Err(err!(
            Network,
            "`{question}` answers that nothing has changed, but nothing was asked"
        )),
    }
}

const OTHER: &str = "it was changed or damaged, so nothing was read from it; if it was changed on purpose, \
    use the new digest, or `skills lock --upgrade`";

/// A complete file, its name on the server, and its type.
pub(super) type Got = (Blob, Option<String>, Option<String>);

/// Downloads into the cache; none when nothing has changed.
pub(super) fn download(
    network: &Network,
    cache: &Cache,
    request: &HttpRequest<'_>,
    expected: Expected,
) -> Result<Option<Got>> {
    let mut draft = cache.draft()?;
    match network.http().download(request, draft.file()?, expected)? {
        Outcome::Complete(done) => {
            let blob = draft.keep(done.hash)?;
            Ok(Some((blob, done.etag, done.content_type)))
        }
        Outcome::Other(answer) if answer.status() == 304 => Ok(None),
        Outcome::Other(answer) => Err(answer.refusal()),
    }
}

/// Reads a downloaded archive.
pub(super) fn unpack(path: &Path, file: File) -> Result<Bundle> {
    let format = format(&file).unwrap_or_else(|| ArchiveFormat::of_name(path));
    archive::of_kept_file(path, file, format)
}

fn format(file: &File) -> Option<ArchiveFormat> {
    let mut start = [0; 2];
    platform::read_at(file, &mut start, 0).ok()?;
    ArchiveFormat::of_start(&start)
}

/// Checks that a file is the kind of archive that the server says, or its name.
pub(super) fn check_format(path: &Path, file: &File, content_type: Option<&str>) -> Result<()> {
    let is = content_type.map(|text| text.split(';').next().unwrap_or_default().trim());
    let is = is.map(str::to_ascii_lowercase);
    let told = match is.as_deref() {
        Some("application/zip" | "application/x-zip-compressed" | "application/x-zip") => {
            ArchiveFormat::Zip
        }
        Some(
            "application/gzip"
            | "application/x-gzip"
            | "application/x-tar+gzip"
            | "application/tar+gzip"
            | "application/x-gtar"
            | "application/x-compressed-tar"
            | "application/x-tgz",
        ) => ArchiveFormat::TarGz,
        _ => ArchiveFormat::of_name(path),
    };
    if format(file) == Some(told) {
        return Ok(());
    }
    let what = match is.as_deref() {
        Some("text/html") => "a web page",
        _ => "something else",
    };
    Err(err!(Validation, "`{}` is not an archive: the server sent {what}", path.display())
        .help("check the address; a page about a file is not the file"))
}

/// An address that is fetched.
pub(super) fn url_of(text: &str) -> Result<Url> {
    Url::parse(text).map_err(|error| err!(Usage, "`{text}` is not a source of skills: {error}"))
}
