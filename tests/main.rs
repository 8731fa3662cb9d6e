//! Everything that is tested through the binary, as one program: one link step, one harness.

// Helpers outside `#[test]` functions fail the way tests do: loudly, at once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod agents;
mod built;
mod completions;
mod disguised;
mod documents;
mod extending;
mod fix;
mod formats;
mod git;
mod git_hostile;
mod harness;
mod help;
mod hostile;
mod init;
mod inline;
mod install;
mod install_hostile;
mod install_runs;
mod installing;
mod json_reference;
mod list;
mod lock;
mod manifest;
mod mount;
mod mount_life;
mod origin;
mod outdated;
mod pack;
mod properties;
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
mod validate;
mod written;
mod xml;
