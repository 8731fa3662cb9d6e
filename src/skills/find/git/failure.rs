//! Explains why git failed.

use std::time::Duration;

use super::program::TIMEOUT;
use crate::skills::model::error::{Error, err};
use crate::skills::model::location::Location;

/// Messages of git about refused access.
const CLOSED: [&str; 8] = [
    "could not read Username",
    "could not read Password",
    "terminal prompts disabled",
    "Authentication failed",
    "Permission denied",
    "does not appear to be a git repository",
    "not found",
    "does not exist",
];
/// Messages about unreachable servers.
const UNREACHABLE: [&str; 9] = [
    "Could not resolve",
    "unable to look up",
    "unable to connect",
    "Failed to connect",
    "Couldn't connect",
    "unable to access",
    "Connection refused",
    "timed out",
    "unreachable",
];
/// Messages about a broken cache.
const BROKEN: [&str; 11] = [
    "not a git repository:",
    "not a git repository (",
    "corrupt",
    "bad object",
    "bad config",
    "packfile",
    "loose object",
    "object file",
    "shallow file",
    "unable to rename temporary",
    "did not send all necessary objects",
];
/// Message of a server that cannot send single commits.
const UNABLE: [&str; 3] = ["unadvertised object", "does not support", "not valid"];
/// Message of a server that lacks the commit.
const UNKNOWN: &str = "not our ref";
/// Message of git after another program has given the reason.
const NO_REASON: &str = "Could not read from remote repository";
/// Messages that are more important than those after them.
const FULL: &str = "No space left on device";

/// Why git failed.
#[derive(Debug)]
pub(super) enum GitFailure {
    /// It could not be started, or was stopped for this reason.
    Ours(Error),
    /// It was silent for too long.
    Silent(Duration),
    /// It ran for too long.
    Endless(Duration),
    /// It exited with an error and this message.
    Refused(String),
}

impl GitFailure {
    /// Whether the cache is broken.
    pub(super) fn is_local(&self) -> bool {
        matches!(self, Self::Refused(words) if is_any(words, &BROKEN))
    }

    /// Whether a simpler request may succeed.
    pub(super) fn is_inability(&self) -> bool {
        matches!(self, Self::Refused(words) if is_any(words, &UNABLE))
    }

    /// Whether the server lacks the requested object.
    pub(super) fn is_ignorance(&self) -> bool {
        matches!(self, Self::Refused(words) if words.contains(UNKNOWN))
    }

    /// The error for the user.
    pub(super) fn about(self, what: &str, location: &Location) -> Error {
        let patience = format!("check the network, or wait longer with `{TIMEOUT}=SECONDS`");
        let (words, help) = match self {
            Self::Ours(error) => return error,
            Self::Silent(time) => (
                format!("git was silent for {} seconds", time.as_secs_f64().round()),
                Some(patience),
            ),
            Self::Endless(time) => {
                (format!("it took more than {} minutes", time.as_secs() / 60), None)
            }
            Self::Refused(words) => {
                let help = help(&words, location);
                (words, help)
            }
        };
        let error = err!(Io, "cannot {what} `{}`: {words}", location.repository);
        match help {
            Some(help) => error.help(help),
            None => error,
        }
    }
}

fn is_any(words: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| words.contains(part))
}

fn help(words: &str, location: &Location) -> Option<String> {
    if is_any(words, &CLOSED) {
        let url = &location.url;
        return Some(format!(
            "it is not there, or git needs a login for it and may not ask; \
             `git ls-remote {url}` must work without a prompt"
        ));
    }
    is_any(words, &UNREACHABLE).then(|| {
        "check the address and the network; what `skills.lock` pins is taken from the cache \
         once it has been fetched"
            .to_owned()
    })
}

/// Why git failed, in its own words.
pub(super) fn reason(words: &[u8]) -> String {
    let text = String::from_utf8_lossy(words);
    let lines: Vec<&str> =
        text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect();
    let first = |prefix: &str| lines.iter().position(|line| line.starts_with(prefix));
    let reason = match (lines.iter().find(|line| line.contains(FULL)), first("fatal: ")) {
        (Some(line), _) => (*line).to_owned(),
        // The reason comes before this line.
        (None, Some(at)) if lines[at].contains(NO_REASON) && at > 0 => lines[at - 1].to_owned(),
        // The first fatal message is the reason; later ones are consequences.
        (None, Some(at)) if lines[at].ends_with(':') => {
            [lines[at], lines.get(at + 1).copied().unwrap_or_default()].join(" ")
        }
        (None, Some(at)) => lines[at].to_owned(),
        (None, None) => {
            let error = first("error: ").map(|at| lines[at]);
            error.or(lines.last().copied()).unwrap_or("git failed without a message").to_owned()
        }
    };
    let reason = ["fatal: ", "ssh: ", "error: ", "ERROR: "]
        .iter()
        .fold(reason.as_str(), |reason, prefix| reason.strip_prefix(prefix).unwrap_or(reason));
    reason.trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn the_reason_is_the_first_fatal_message() {
        for (words, expected) in [
            ("Cloning\nfatal: repository 'x' not found\n", "repository 'x' not found"),
            (
                "ssh: Could not resolve hostname h: Name or service not known\n\
                 fatal: Could not read from remote repository.\n\nPlease make sure you have\n",
                "Could not resolve hostname h: Name or service not known",
            ),
            (
                "Warning: added\ngit@h: Permission denied (publickey).\n\
                 fatal: Could not read from remote repository.\n\nPlease make sure you have\n",
                "git@h: Permission denied (publickey)",
            ),
            (
                "fatal: Could not read from remote repository.\n\nPlease make sure you have\n",
                "Could not read from remote repository",
            ),
            (
                "fatal: unable to connect to h:\nh[0: 127.0.0.1]: errno=Connection refused\n",
                "unable to connect to h: h[0: 127.0.0.1]: errno=Connection refused",
            ),
            ("", "git failed without a message"),
        ] {
            assert_eq!(reason(words.as_bytes()), expected);
        }
    }
}
