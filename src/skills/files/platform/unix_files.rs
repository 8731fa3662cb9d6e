//! Properties of files on Unix, and of this process: modes, links, limits, umask.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::AsFd;
use rustix::fs::{CWD, Mode, OFlags, mkdirat};
use rustix::io::{Errno, read, retry_on_intr};

/// Makes `copy` share the blocks of `file`; false where the file system cannot.
#[cfg(target_os = "linux")]
pub fn share_blocks(file: &File, copy: &File) -> bool {
    rustix::fs::ioctl_ficlone(copy, file).is_ok()
}

/// Makes `copy` share the blocks of `file`; false where the file system cannot.
#[cfg(not(target_os = "linux"))]
pub fn share_blocks(_: &File, _: &File) -> bool {
    false
}

/// Lets writing to a pipe wait for its reader instead of failing.
pub fn wait_for_room(file: &File) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(file)?;
    Ok(rustix::fs::fcntl_setfl(file, flags - OFlags::NONBLOCK)?)
}

/// Makes a symbolic link.
pub fn link(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// Makes a directory that only this user may write to, independent of the umask.
pub fn make_directory(path: &Path) -> io::Result<()> {
    Ok(mkdirat(CWD, path, Mode::from_raw_mode(0o755))?)
}

/// Gives a file this mode, independent of the umask.
pub fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    Ok(rustix::fs::fchmod(file, Mode::from_raw_mode(mode as _))?)
}

/// Whether a file has only the one name it was opened by.
pub fn has_one_name(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.nlink() == 1
}

/// When a file was renamed or last written.
pub fn last_change(metadata: &std::fs::Metadata) -> Option<std::time::SystemTime> {
    use std::os::unix::fs::MetadataExt;
    let placed = std::time::Duration::new(
        u64::try_from(metadata.ctime()).ok()?,
        u32::try_from(metadata.ctime_nsec()).ok()?,
    );
    let placed = std::time::UNIX_EPOCH.checked_add(placed)?;
    Some(metadata.modified().map_or(placed, |written| written.max(placed)))
}

/// The number of the user.
pub fn user_id() -> Option<u32> {
    Some(rustix::process::getuid().as_raw())
}

/// Whether opening failed because of a link.
pub fn met_link(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::LOOP)
}

/// Whether whoever writes to this pipe or socket has closed it, though there may be more to read.
pub fn has_hung_up(input: &impl AsFd) -> bool {
    #[cfg(target_os = "linux")]
    let asked = PollFlags::RDHUP;
    #[cfg(not(target_os = "linux"))]
    let asked = PollFlags::empty();
    let mut polled = [PollFd::new(input, asked)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let gone = asked | PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    poll(&mut polled, Some(&at_once)).is_ok() && polled[0].revents().intersects(gone)
}

/// The mode bits that new files do not get.
pub fn umask() -> u32 {
    // The umask can only be read by setting it.
    let mask = rustix::process::umask(Mode::from_raw_mode(0o077));
    rustix::process::umask(mask);
    mask.bits() as _
}

/// How many files may be open at once.
pub fn open_files() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

/// Fills the buffer from this offset, independent of the file's position.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

/// Reads once, as many bytes as there is room for, without clearing the buffer first.
pub fn read_once(file: &File, bytes: &mut Vec<u8>) -> io::Result<()> {
    retry_on_intr(|| read(file, spare_capacity(bytes)))?;
    Ok(())
}
