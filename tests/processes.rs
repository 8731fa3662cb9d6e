//! Processes that end with the test that started them, even if it fails.

use std::process::{Child, Command};

/// A process group.
pub(crate) struct Group(pub(crate) Child);

impl Group {
    pub(crate) fn start(command: &mut Command) -> std::io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        command.spawn().map(Self)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Wait only afterwards, so that the process id is still valid.
        #[cfg(unix)]
        if let Some(pid) = i32::try_from(self.0.id()).ok().and_then(rustix::process::Pid::from_raw)
        {
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
