//! The domain: what a skill is, how it is read, and what is wrong with it.
//!
//! Nothing here knows of flags, colours or terminals. Functions take values and return
//! values. Most only read files; `fix`, `install`, `pack`, `mount`, `scaffold` and the cache of `git`
//! write them, and `mount` and `git` start other programs.

pub mod agents;
pub mod archive;
pub mod atomic;
pub mod bundle;
pub mod clock;
pub mod content;
pub mod descent;
pub mod digest;
pub mod discovery;
pub mod document;
pub mod environment;
pub mod error;
pub mod events;
pub mod filter;
pub mod finding;
pub mod fix;
pub mod frontmatter;
pub mod git;
pub mod inline;
pub mod install;
pub mod inventory;
pub mod lenient;
pub mod limits;
pub mod link;
pub mod listing;
pub mod lock;
pub mod lookalike;
pub mod manifest;
pub mod markdown;
pub mod mount;
pub mod name;
pub mod order;
pub mod own_names;
pub mod pack;
pub mod parallel;
pub mod platform;
pub mod position;
pub mod prompt;
pub mod quote;
pub mod reporter;
pub mod rules;
pub mod scaffold;
pub mod scan;
pub mod secrets;
pub mod selection;
pub mod shell;
pub mod signals;
pub mod similar;
pub mod size;
pub mod source;
pub mod template;
pub mod tools;
pub mod unicode;
pub mod uri;
pub mod validate;
pub mod yaml;
