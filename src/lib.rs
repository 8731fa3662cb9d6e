//! `skills`: validate, list, render, install and mount Agent Skills.
//!
//! [`skills`] is the domain: it reads, decides and returns data, and never prints.
//! [`output`] turns that data into text. [`commands`] tell the story of one verb each,
//! and [`cli`] reads flags, owns the terminal and turns outcomes into exit codes.

/// What the program is called; the package has another name.
pub const PROGRAM: &str = "skills";

pub mod cli;
pub mod commands;
pub mod output;
pub mod skills;
