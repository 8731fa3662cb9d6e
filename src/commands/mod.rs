//! One file a verb (`lock` has `outdated`, too, and `disable` has `enable`): each tells the story of its command in a screen or
//! two. What several of them do alike has a file of its own: `gather`, `locked`, `notices`,
//! `refusals`, `renaming`, `event_log`, and `narrowing` and `watch` for `validate`.

pub mod cache;
pub mod completions;
pub mod disable;
mod event_log;
pub mod explain;
mod gather;
pub mod init;
pub mod install;
pub mod list;
pub mod lock;
mod locked;
pub mod man;
pub mod mount;
mod narrowing;
mod notices;
pub mod pack;
pub mod push;
pub mod read;
mod refusals;
pub mod remove;
mod renaming;
pub mod render;
pub mod rules;
pub mod schema;
pub mod serve;
pub mod show;
pub mod sync;
pub mod unmount;
pub mod update;
pub mod validate;
pub mod verify;
pub mod watch;
