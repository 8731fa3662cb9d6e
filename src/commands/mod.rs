//! One file per verb (`lock` also has `outdated`, and `disable` has `enable`): the steps of the
//! command in a screen or two. Shared steps are in `gather`, `locked`, `notices`, `refusals` and
//! `event_log`; `narrowing` and `watch` belong to `validate`.

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
pub mod read;
mod refusals;
pub mod remove;
pub mod render;
pub mod rules;
pub mod schema;
pub mod show;
pub mod sync;
pub mod unmount;
pub mod update;
pub mod validate;
pub mod verify;
pub mod watch;
