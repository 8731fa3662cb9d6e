//! The artifacts of a site in the cache: a file by its digest, or a list of files by the digest of
//! the skill that they make.

use std::io::Read;
use std::path::Path;

use super::Network;
use super::archives::download;
use crate::skills::files::digest::{Digest, DigestBuilder, FileHash};
use crate::skills::files::platform;
use crate::skills::find::archive::ArchiveFormat;
use crate::skills::find::cache::{Blob, Cache};
use crate::skills::find::http::{Expected, HttpRequest, Url};
use crate::skills::find::site;
use crate::skills::model::bundle::Bundle;
use crate::skills::model::error::{Error, Result, err};
use crate::skills::text::limits::SKILL_BYTES;

/// A skill with this digest.
pub(super) fn cached(cache: &Cache, name: &str, digest: Digest) -> Result<Option<Bundle>> {
    let shown = Path::new(name);
    if let Some(blob) = cache.blob(digest.into())? {
        let mut start = [0; 2];
        let is_archive = platform::read_at(&blob.file, &mut start, 0).is_ok()
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
pub(super) fn fetch_files(
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
