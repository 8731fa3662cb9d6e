//! Validate, find, render and install Agent Skills: folders with a `SKILL.md`.
//!
//! The library does what the `skills` program does, by the same code, and prints nothing.
//!
//! - [`validate`] checks skills and returns findings.
//! - [`discover`] finds the skills that agents on this machine would find.
//! - [`render`] writes the catalogue that a model sees.
//! - [`install`] copies skills to where agents find them.
//!
//! ```
//! use skills::{Destination, Options};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = tempfile::tempdir()?;
//! # let (source, target) = (directory.path().join("pdf"), directory.path().join("installed"));
//! # std::fs::create_dir(&source)?;
//! # let text = "---\nname: pdf\ndescription: Reads PDF files.\n---\nRead the file.\n";
//! # std::fs::write(source.join("SKILL.md"), text)?;
//! let options = Options::new();
//! if skills::validate(&source, &options)?.is_valid() {
//!     skills::install(&source, &Destination::directory(&target), &options)?;
//! }
//! # assert!(target.join("pdf/SKILL.md").exists());
//! # Ok(())
//! # }
//! ```

mod cli;
mod commands;
mod library;
mod output;
mod skills;
#[cfg(test)]
mod tests;

pub use library::{
    Action, Destination, DiscoveredSkill, Discovery, Error, ErrorKind, Format, Installation,
    InstalledSkill, Level, Options, Position, Result, Scope, Severity, SkillFinding, SkippedSkill,
    Status, UnloadedSkill, ValidatedSkill, ValidationReport, discover, install, render, validate,
};

#[doc(hidden)]
pub use cli::main;

/// The name of the program, which differs from the name of the package.
const PROGRAM: &str = "skills";

/// The domain, for fuzz targets.
#[cfg(fuzzing)]
pub mod domain {
    pub use crate::skills::*;
}

/// Runs the examples of the page as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct LibraryPage;
