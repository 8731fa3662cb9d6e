//! Validate, list, render, install and mount Agent Skills.

/// The name of the program, which differs from the name of the package.
#[doc(hidden)]
pub const PROGRAM: &str = "skills";

#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod commands;
#[doc(hidden)]
pub mod output;
mod skills;

/// The domain, for the tests, benches and fuzz targets of this repository. It may change in any
/// release.
#[doc(hidden)]
pub mod internal {
    pub use crate::skills::{agents, files, find, judge, model, put, show, text};
}
