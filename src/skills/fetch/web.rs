//! Archives by their address, and sites that publish an index: downloaded into the cache, checked, and
//! read from there.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use crate::skills::fetch::Network;
use crate::skills::fetch::archive::{self, ARCHIVE_BYTES, ArchiveFormat};
use crate::skills::fetch::cache::{Blob, Cache, Shelf};
use crate::skills::fetch::http::{Expected, HttpRequest, Outcome, Url};
use crate::skills::fetch::site::{
    self, ARTIFACT_BYTES, EntryContent, INDEX_BYTES, SiteEntry, SiteIndex,
};
use crate::skills::files::digest::{Digest, DigestBuilder, FileHash};
use crate::skills::files::{self, parallel};
use crate::skills::model::address::{Address, Pins};
use crate::skills::model::bundle::{Artifact, Bundle, BundleOrigin, CONTENT_BYTES, Fetched};
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::model::reporter::Progress;
use crate::skills::text::document::SKILL_BYTES;

/// What a server called an archive last.
#[derive(Debug, Serialize, Deserialize)]
struct LastAnswer {
    digest: Digest,
    etag: Option<String>,
}

/// Reads an archive.
pub fn read_archive(network: &Network, address: &Address, pins: &Pins) -> Result<Bundle> {
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
pub fn current_archive(network: &Network, address: &Address) -> Result<Pins> {
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
pub type Got = (Blob, Option<String>, Option<String>);

/// Downloads into the cache; none when nothing has changed.
pub fn download(
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
pub fn unpack(path: &Path, file: File) -> Result<Bundle> {
    let format = format(&file).unwrap_or_else(|| ArchiveFormat::of_name(path));
    archive::of_kept_file(path, file, format)
}

fn format(file: &File) -> Option<ArchiveFormat> {
    let mut start = [0; 2];
    files::read_at(file, &mut start, 0).ok()?;
    ArchiveFormat::of_start(&start)
}

/// Checks that a file is the kind of archive that the server says, or its name.
pub fn check_format(path: &Path, file: &File, content_type: Option<&str>) -> Result<()> {
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
pub fn url_of(text: &str) -> Result<Url> {
    Url::parse(text).map_err(|error| err!(Usage, "`{text}` is not a source of skills: {error}"))
}

// Sites that publish skills: the index is asked for each time, artifacts are fetched once.

/// Where an index is, in the order of asking.
const PLACES: [&str; 2] =
    ["/.well-known/agent-skills/index.json", "/.well-known/skills/index.json"];

/// Entries that cannot be read, and are named one by one.
const SHOWN: usize = 20;

/// A skill of a site: its name, its digest, and its files.
pub type Piece = (String, Digest, Bundle);

/// Reads the wanted skills of a site.
pub fn read_site(network: &Network, url: &str, pins: &Pins, wanted: &[String]) -> Result<Bundle> {
    let cache = network.cache(Shelf::Archives)?;
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|one| one == name);
    let (pieces, mut others) = if pins.is_empty() {
        let (index_url, index) = index(network, &cache, url)?;
        let (entries, others): (Vec<&SiteEntry>, Vec<&SiteEntry>) =
            index.entries.iter().partition(|entry| is_wanted(&entry.name));
        let others: Vec<String> = others.into_iter().map(|entry| entry.name.clone()).collect();
        // Many entries may lead to one small archive that unpacks to much.
        let left = AtomicUsize::new(CONTENT_BYTES);
        let unpack = |entry: &&SiteEntry| {
            let piece = fetch(network, &cache, &index_url, entry, None)?;
            let rest = |left: usize| left.checked_sub(piece.2.content_bytes());
            match left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest) {
                Ok(_) => Ok(piece),
                Err(_) => Err(too_large(url)),
            }
        };
        (all(&entries, unpack)?, others)
    } else {
        let others = pins.skills.keys().filter(|name| !is_wanted(name)).cloned().collect();
        (pinned(network, &cache, url, pins, &is_wanted)?, others)
    };
    others.sort_unstable();
    let address = Address::Site(url.to_owned());
    let artifact = |(name, digest, _): &Piece| Artifact {
        root: name.clone(),
        digest: *digest,
        source: address.to_string(),
    };
    let artifacts = pieces.iter().map(artifact).collect();
    let origin = BundleOrigin::Network(Fetched { address: address.clone(), artifacts, others });
    let mut bundle = Bundle::new(PathBuf::from(url), origin, Vec::new());
    let refused = |reason: String| err!(Validation, "`{url}` is refused: {reason}");
    let pieces = pieces.into_iter().map(|(name, _, piece)| (name, piece));
    site::gather(&mut bundle, pieces).map_err(refused)?;
    bundle.finish().map_err(refused)
}

/// The digests of the skills that a site publishes now.
pub fn current_site(network: &Network, url: &str) -> Result<Pins> {
    let cache = network.cache(Shelf::Archives)?;
    let (index_url, index) = index(network, &cache, url)?;
    let entries: Vec<&SiteEntry> = index.entries.iter().collect();
    let digest = |entry: &&SiteEntry| match entry.content.digest() {
        Some(digest) => Ok((entry.name.clone(), digest)),
        // Only its files tell.
        None => {
            fetch(network, &cache, &index_url, entry, None).map(|(name, digest, _)| (name, digest))
        }
    };
    let skills = all(&entries, digest)?.into_iter().collect();
    Ok(Pins { whole: None, skills })
}

/// What a lock pins, from the cache if all of it is there.
fn pinned(
    network: &Network,
    cache: &Cache,
    url: &str,
    pins: &Pins,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut missing = Vec::new();
    for (name, digest) in pins.skills.iter().filter(|(name, _)| is_wanted(name)) {
        match cached(cache, name, *digest)? {
            Some(piece) => pieces.push((name.clone(), *digest, piece)),
            None => missing.push((name, *digest)),
        }
    }
    if missing.is_empty() {
        return Ok(pieces);
    }
    let (index_url, index) = index(network, cache, url)?;
    let get = |(name, digest): &(&String, Digest)| {
        let has = |entry: &&SiteEntry| entry.content.digest().is_none_or(|own| own == *digest);
        let named = |entry: &&SiteEntry| entry.name == **name;
        let entry = index.entries.iter().filter(has).find(named);
        let entry = entry.ok_or_else(|| changed(url, name, *digest, &index))?;
        fetch(network, cache, &index_url, entry, Some(*digest))
    };
    pieces.extend(all(&missing, get)?);
    pieces.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    Ok(pieces)
}

/// Does something for each, several at a time; the first failure ends it.
fn all<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> Result<R> + Sync) -> Result<Vec<R>> {
    let is_over = AtomicBool::new(false);
    let step = |item: &T| {
        if is_over.load(Ordering::Relaxed) {
            return None;
        }
        let done = work(item);
        is_over.fetch_or(done.is_err(), Ordering::Relaxed);
        Some(done)
    };
    let done = parallel::map_waiting(items, step);
    let (good, bad): (Vec<_>, Vec<_>) = done.into_iter().flatten().partition(Result::is_ok);
    match bad.into_iter().find_map(Result::err) {
        Some(error) => Err(error),
        None => Ok(good.into_iter().flatten().collect()),
    }
}

/// Asks for the index, and says where it is.
fn index(network: &Network, cache: &Cache, url: &str) -> Result<(Url, SiteIndex)> {
    let base = url_of(url)?;
    let places: Vec<Url> = match base.path() {
        "/" => PLACES.iter().filter_map(|place| base.join(place).ok()).collect(),
        _ => vec![base.clone()],
    };
    if network.is_offline() {
        let kept = places.iter().find_map(|place| Some((place, cache.answer(&place.to_string())?)));
        if let Some((place, bytes)) = kept {
            return Ok((place.clone(), parse(network, url, &bytes)?));
        }
    } else {
        (network.announce)(Progress::Fetching(&url));
    }
    for place in &places {
        let answer = network.http().send(&HttpRequest::get(place.clone()))?;
        if matches!(answer.status(), 404 | 410) {
            continue;
        }
        if !answer.is_success() {
            return Err(answer.refusal());
        }
        // What it names is relative to where it was found in the end.
        let found = answer.url().clone();
        let bytes = answer.bytes(INDEX_BYTES)?;
        let index = parse(network, url, &bytes)?;
        // Without it, only `--offline` knows less.
        let _ = cache.keep_answer(&place.to_string(), &bytes);
        return Ok((found, index));
    }
    Err(err!(NotFound, "`{url}` publishes no skills: there is no `{}`", places[0].path()).help(
        "check the address; a git repository needs `git+https://`, an archive its whole path",
    ))
}

fn parse(network: &Network, url: &str, bytes: &[u8]) -> Result<SiteIndex> {
    let index = SiteIndex::parse(bytes).map_err(|reason| {
        err!(Validation, "the index of `{url}` cannot be read: {reason}")
            .help("versions 0.2.0 and 0.1 are read; a newer version of `skills` may read more")
    })?;
    for passed in index.passed.iter().take(SHOWN) {
        let what = format!("`{}` of `{url}`", passed.name);
        (network.announce)(Progress::PassedOver { what: &what, reason: &passed.reason });
    }
    if let Some(more @ 1..) = index.passed.len().checked_sub(SHOWN) {
        let what = format!("each of {more} more entries of `{url}`");
        let reason = "download the index and run `skills validate index.json` to see why";
        (network.announce)(Progress::PassedOver { what: &what, reason });
    }
    Ok(index)
}

/// Fetches one skill, unless the cache has it.
fn fetch(
    network: &Network,
    cache: &Cache,
    index: &Url,
    entry: &SiteEntry,
    pinned: Option<Digest>,
) -> Result<Piece> {
    let name = entry.name.clone();
    let (url, digest) = match &entry.content {
        EntryContent::Files(files) => {
            let (digest, piece) = fetch_files(network, cache, index, &name, files)?;
            return match pinned.filter(|pinned| *pinned != digest) {
                Some(pinned) => Err(other(&name, index, pinned, digest)),
                None => Ok((name, digest, piece)),
            };
        }
        EntryContent::SkillMd { url, digest } | EntryContent::Archive { url, digest } => {
            (url, *digest)
        }
    };
    if let Some(piece) = cached(cache, &name, digest)? {
        return Ok((name, digest, piece));
    }
    let address = index.join(url).map_err(|error| {
        let message = format!("the index of `{}` names an invalid address", index.authority());
        err!(Validation, "{message} for `{name}`: {error}")
    })?;
    let request = HttpRequest::get(address.clone()).named_by(index);
    let hash = Some(FileHash::from(digest));
    let got =
        download(network, cache, &request, Expected { hash, bytes: None, limit: ARTIFACT_BYTES });
    let got = got.map_err(|error| error.about(name.clone(), None))?;
    let (blob, _, content_type) = got.ok_or_else(|| other(&name, index, digest, digest))?;
    let shown = address.to_string();
    let piece = match &entry.content {
        EntryContent::Archive { .. } => {
            check_format(Path::new(&shown), &blob.file, content_type.as_deref())?;
            site::of_archive(Path::new(&shown), blob.file)?
        }
        _ => site::of_skill_md(Path::new(&shown), blob.file)?,
    };
    Ok((name, digest, piece))
}

fn too_large(url: &str) -> Error {
    let most = CONTENT_BYTES / 1024 / 1024;
    err!(TooLarge, "the skills of `{url}` unpack to more than {most} MiB together")
        .help("use `--only` to choose some of them")
}

fn other(name: &str, index: &Url, wanted: Digest, found: Digest) -> Error {
    let host = index.authority();
    err!(Validation, "`{name}` of `{host}` is not what was expected: {found}, not {wanted}")
        .help("it was changed, so nothing was read from it")
}

fn changed(url: &str, name: &str, wanted: Digest, index: &SiteIndex) -> Error {
    let now = index.entries.iter().find(|entry| entry.name == name);
    let message = match now.and_then(|entry| entry.content.digest()) {
        Some(now) => format!("`{name}` of `{url}` is {now} now, not {wanted}"),
        None => format!("`{url}` does not publish `{name}` any more"),
    };
    Error::new(ErrorKind::NotFound, message)
        .help("use `skills lock --upgrade` to take what is published now")
}

// The artifacts of a site in the cache: a file by its digest, or a list of files by the digest of
// the skill that they make.

/// A skill with this digest.
pub fn cached(cache: &Cache, name: &str, digest: Digest) -> Result<Option<Bundle>> {
    let shown = Path::new(name);
    if let Some(blob) = cache.blob(digest.into())? {
        let mut start = [0; 2];
        let is_archive = files::read_at(&blob.file, &mut start, 0).is_ok()
            && ArchiveFormat::of_start(&start).is_some();
        return match is_archive {
            true => site::of_archive(shown, blob.file).map(Some),
            false => site::of_skill_md(shown, blob.file).map(Some),
        };
    }
    let Some(list) = cache.answer(&digest.to_string()) else { return Ok(None) };
    let Ok(list) = serde_json::from_slice::<Vec<(String, FileHash)>>(&list) else {
        return Ok(None);
    };
    let mut files = Vec::new();
    for (path, hash) in list {
        let Some(blob) = cache.blob(hash)? else { return Ok(None) };
        files.push((path, bytes(blob)?));
    }
    let hashes = files
        .iter()
        .map(|(path, bytes)| (path.as_str(), crate::skills::files::digest::of_bytes(bytes)));
    if of_files(hashes) != Some(digest) {
        return Ok(None);
    }
    site::of_files(shown, files).map(Some)
}

/// Fetches the files of a skill from its directory beside the index.
pub fn fetch_files(
    network: &Network,
    cache: &Cache,
    index: &Url,
    name: &str,
    paths: &[String],
) -> Result<(Digest, Bundle)> {
    let (mut files, mut list) = (Vec::new(), Vec::new());
    let mut left = SKILL_BYTES;
    for path in paths {
        let address = index.join(&format!("{name}/{}", escaped(path))).map_err(|error| {
            err!(Validation, "`{name}` of `{}`: `{path}`: {error}", index.authority())
        })?;
        let request = HttpRequest::get(address).named_by(index);
        let expected = Expected { hash: None, bytes: None, limit: left };
        let got = download(network, cache, &request, expected)?;
        let Some((blob, ..)) = got else { continue };
        left -= blob.bytes.min(left);
        list.push((path.clone(), blob.hash));
        files.push((path.clone(), bytes(blob)?));
    }
    let hashes = list.iter().map(|(path, hash)| (path.as_str(), *hash));
    let digest = of_files(hashes)
        .ok_or_else(|| err!(Validation, "`{name}` has a file name that cannot be recorded"))?;
    if let Ok(text) = serde_json::to_vec(&list) {
        // Without it, the files are fetched again.
        let _ = cache.keep_answer(&digest.to_string(), &text);
    }
    Ok((digest, site::of_files(Path::new(name), files)?))
}

/// The digest of a skill of these files.
fn of_files<'a>(files: impl Iterator<Item = (&'a str, FileHash)>) -> Option<Digest> {
    let mut digest = DigestBuilder::default();
    files.for_each(|(path, hash)| digest.add(Path::new(path), false, hash));
    digest.finish()
}

fn bytes(blob: Blob) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = blob.file.take(SKILL_BYTES).read_to_end(&mut bytes);
    read.map_err(|error| Error::io("read", blob.path, &error))?;
    Ok(bytes)
}

/// A path in an address.
fn escaped(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/+@=,".contains(&byte);
    path.bytes().fold(String::new(), |text, byte| match is_plain(byte) {
        true => text + char::from(byte).encode_utf8(&mut [0; 4]),
        false => text + &format!("%{byte:02X}"),
    })
}
