//! Sites that publish skills: the index is asked for each time, artifacts are fetched once.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::archives::{check_format, download, url_of};
use super::{Network, published};
use crate::skills::files::digest::{Digest, FileHash};
use crate::skills::files::parallel;
use crate::skills::find::announce::Progress;
use crate::skills::find::cache::{Cache, Shelf};
use crate::skills::find::http::{Expected, HttpRequest, Url};
use crate::skills::find::site::{
    self, ARTIFACT_BYTES, EntryContent, INDEX_BYTES, SiteEntry, SiteIndex,
};
use crate::skills::model::address::{Address, Pins};
use crate::skills::model::bundle::{Artifact, Bundle, BundleOrigin, CONTENT_BYTES, Fetched};
use crate::skills::model::error::{Error, ErrorKind, Result, err};

/// Where an index is, in the order of asking.
const PLACES: [&str; 2] =
    ["/.well-known/agent-skills/index.json", "/.well-known/skills/index.json"];

/// Entries that cannot be read, and are named one by one.
const SHOWN: usize = 20;

/// A skill of a site: its name, its digest, and its files.
pub(super) type Piece = (String, Digest, Bundle);

/// Reads the wanted skills of a site.
pub(super) fn read(network: &Network, url: &str, pins: &Pins, wanted: &[String]) -> Result<Bundle> {
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
pub(super) fn current(network: &Network, url: &str) -> Result<Pins> {
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
        match published::cached(cache, name, *digest)? {
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
            let (digest, piece) = published::fetch_files(network, cache, index, &name, files)?;
            return match pinned.filter(|pinned| *pinned != digest) {
                Some(pinned) => Err(other(&name, index, pinned, digest)),
                None => Ok((name, digest, piece)),
            };
        }
        EntryContent::SkillMd { url, digest } | EntryContent::Archive { url, digest } => {
            (url, *digest)
        }
    };
    if let Some(piece) = published::cached(cache, &name, digest)? {
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
