//! Downloaded files, by the SHA-256 of their bytes.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::{Cache, make_private};
use crate::skills::files::atomic::{self, Temporary};
use crate::skills::files::digest::{self, FileHash};
use crate::skills::files::platform::{self, Directory};
use crate::skills::model::error::{Error, Result};

/// The directory of files.
pub(super) const BLOBS: &str = "sha256";

/// A file of the cache, checked and open at its beginning.
#[derive(Debug)]
pub struct Blob {
    pub file: File,
    /// The hash of its bytes.
    pub hash: FileHash,
    /// Its size.
    pub bytes: u64,
    /// Where it is; another run may have removed it from there.
    pub path: PathBuf,
}

/// A file that is being written. It is gone when it is dropped.
#[derive(Debug)]
pub struct BlobDraft {
    temporary: Temporary<Arc<Directory>>,
    directory: PathBuf,
}

impl Cache {
    /// The file with this hash. One that is damaged is removed, and is then none.
    pub fn blob(&self, hash: FileHash) -> Result<Option<Blob>> {
        let path = self.blob_path(hash);
        let Ok(file) = platform::open_without_following(&path) else { return Ok(None) };
        let read = digest::of_reader(&file);
        if matches!(&read, Ok(own) if *own == hash) {
            // `cache clean` goes by the last use.
            let _ = file.set_modified(SystemTime::now());
            return opened(file, hash, path).map(Some);
        }
        tracing::debug!(path = %path.display(), "a cached file is damaged; removing it");
        drop(file);
        let removed = match path.is_dir() {
            true => fs::remove_dir_all(&path),
            false => fs::remove_file(&path),
        };
        removed.map_err(|error| Error::writing("remove", &path, &error))?;
        Ok(None)
    }

    /// Whether there is a file with this hash, which was not checked.
    pub fn has_blob(&self, hash: FileHash) -> bool {
        self.blob_path(hash).is_file()
    }

    /// Begins a file.
    pub fn draft(&self) -> Result<BlobDraft> {
        let directory = self.make(BLOBS)?;
        let cannot = |error: std::io::Error| {
            Error::writing("write to", &directory, &error)
                .help("free some space there, or set XDG_CACHE_HOME to another directory")
        };
        let open = Arc::new(Directory::open(&directory).map_err(cannot)?);
        // What killed runs left.
        atomic::reap(&open);
        let temporary = Temporary::make(open, 0o600).map_err(cannot)?;
        Ok(BlobDraft { temporary, directory })
    }

    fn blob_path(&self, hash: FileHash) -> PathBuf {
        below(&self.path.join(BLOBS), hash)
    }
}

impl BlobDraft {
    /// The file to write to.
    pub fn file(&mut self) -> Result<&mut File> {
        let directory = &self.directory;
        self.temporary.file().ok_or_else(|| Error::unreadable(directory, "it was closed"))
    }

    /// Keeps the complete file under the hash of its bytes, which the caller has computed, and
    /// returns it open at its beginning.
    pub fn keep(self, hash: FileHash) -> Result<Blob> {
        let path = below(&self.directory, hash);
        let cannot = |error: std::io::Error| Error::writing("write", &path, &error);
        // Not synced: whoever reads it checks it, and a thousand files would take seconds.
        let above = path.parent().unwrap_or(&self.directory);
        make_private(above)?;
        let to = Directory::open(above).map_err(cannot)?;
        let name = path.file_name().unwrap_or_default();
        self.temporary.put_in(&to, name).map_err(cannot)?;
        let file = to.file(name).map_err(cannot)?;
        opened(file, hash, path)
    }
}

fn opened(mut file: File, hash: FileHash, path: PathBuf) -> Result<Blob> {
    let cannot = |error: std::io::Error| Error::io("read", &path, &error);
    file.seek(SeekFrom::Start(0)).map_err(cannot)?;
    let bytes = file.metadata().map_err(cannot)?.len();
    Ok(Blob { file, hash, bytes, path })
}

/// Where a file is: large directories are slow on some systems.
fn below(directory: &Path, hash: FileHash) -> PathBuf {
    let name = hash.to_string();
    directory.join(&name[..2]).join(name)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::super::Shelf;
    use super::*;
    use crate::skills::model::environment::Environment;

    fn cache(home: &Path) -> Cache {
        let variables = [("HOME".into(), home.as_os_str().to_owned())];
        Cache::open(&Environment::new(home.to_owned(), variables), Shelf::Archives).unwrap()
    }

    fn keep(cache: &Cache, bytes: &[u8]) -> Blob {
        let mut draft = cache.draft().unwrap();
        draft.file().unwrap().write_all(bytes).unwrap();
        draft.keep(digest::of_bytes(bytes)).unwrap()
    }

    #[test]
    fn a_file_reads_back_and_a_damaged_one_is_gone() {
        let home = tempfile::tempdir().unwrap();
        let cache = cache(home.path());
        let hash = digest::of_bytes(b"text");
        assert!(cache.blob(hash).unwrap().is_none());
        let mut text = String::new();
        keep(&cache, b"text").file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
        let blob = cache.blob(hash).unwrap().unwrap();
        assert_eq!((blob.bytes, blob.hash), (4, hash));
        fs::write(&blob.path, "tex!").unwrap();
        assert!(cache.has_blob(hash));
        assert!(cache.blob(hash).unwrap().is_none());
        assert!(!cache.has_blob(hash));
        keep(&cache, b"text");
        assert!(cache.blob(hash).unwrap().is_some());
    }

    #[test]
    fn what_is_given_up_or_left_by_a_killed_run_is_gone() {
        let home = tempfile::tempdir().unwrap();
        let cache = cache(home.path());
        let directory = cache.make(BLOBS).unwrap();
        let entries = || fs::read_dir(&directory).unwrap().count();
        let draft = cache.draft().unwrap();
        assert_eq!(entries(), 1);
        drop(draft);
        assert_eq!(entries(), 0);
        fs::write(directory.join(".skills-temporary-0123456789abcdef"), "half").unwrap();
        let (one, two) = (cache.draft().unwrap(), cache.draft().unwrap());
        assert_eq!(entries(), 2);
        drop((one, two));
    }

    #[test]
    fn answers_belong_to_their_questions() {
        let home = tempfile::tempdir().unwrap();
        let cache = cache(home.path());
        assert_eq!(cache.answer("https://h/a"), None);
        cache.keep_answer("https://h/a", b"one").unwrap();
        cache.keep_answer("https://h/a", b"two").unwrap();
        assert_eq!(cache.answer("https://h/a"), Some(b"two".to_vec()));
        assert_eq!(cache.answer("https://h/b"), None);
    }
}
