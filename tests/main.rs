//! Everything that is tested through the binary, as one program: one link step, one harness.

// Helpers outside `#[test]` functions fail the way tests do: loudly, at once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

mod agents;
mod built;
mod completions;
mod digests;
mod discovery;
mod disguised;
mod documents;
mod edges;
mod extending;
mod fix;
mod formats;
mod full_disk;
mod git;
mod git_hostile;
mod git_output;
mod git_trust;
mod harness;
mod help;
mod hostile;
mod init;
mod inline;
mod install;
mod install_hostile;
mod install_interrupted;
mod install_links;
mod install_runs;
mod installing;
mod json_reference;
mod layers;
mod list;
mod lock;
mod manifest;
mod mount;
mod mount_life;
mod mount_logins;
mod mount_records;
mod mount_signals;
mod mount_trust;
mod names;
#[cfg(target_os = "linux")]
mod opens;
mod orders;
mod origin;
mod outdated;
mod pack;
mod processes;
mod properties;
mod proportion;
mod read;
mod recipes;
mod regressions;
mod remove;
mod render;
mod rules;
mod sarif;
mod screenshots;
mod skillignore;
mod skips;
mod speech;
mod swaps;
mod validate;
mod written;
mod zip;
