//! Recognises variables with secrets, by their names and values. `include_host_env` passes none.

use std::ffi::OsStr;

use crate::skills::text::secrets;

/// Variables with secrets, or that lead to them, in upper case. Most are patterns, because no list of
/// names is complete. A false match costs the user one line of `env`.
const WHOLE: &str = "DATABASE_URL GNUPGHOME GPG_AGENT_INFO KUBECONFIG MONGO_URL MONGODB_URI NETRC \
    PGPASSFILE REDIS_URL SSH_AGENT_PID SSH_AUTH_SOCK";
const BEGINNINGS: &str = "ANTHROPIC_ AWS_ AZURE_ CLAUDE_ DOCKER_ GOOGLE_ NPM_CONFIG_ OPENAI_ TF_VAR_ \
    VAULT_";
const ENDS: &str = "AUTH COOKIE DSN KEY KEYS PAT TOKEN TOKENS _PASS _PWD";
const PARTS: &str = "APIKEY CONNECTIONSTRING CONNECTION_STRING CREDENTIAL PASSPHRASE PASSWD PASSWORD \
    SECRET WEBHOOK";
const WORDS: &str = "AUTH BEARER COOKIE JWT KEY KEYS PASS TOKEN TOKENS";

/// Whether a variable holds a secret, or leads to one.
pub(super) fn is_secret(name: &OsStr, value: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    let any =
        |list: &'static str, holds: &dyn Fn(&str) -> bool| list.split_ascii_whitespace().any(holds);
    let value = value.to_string_lossy();
    any(WHOLE, &|whole| name == whole)
        || any(BEGINNINGS, &|beginning| name.starts_with(beginning))
        || any(ENDS, &|end| name.ends_with(end))
        || any(PARTS, &|part| name.contains(part))
        || any(WORDS, &|word| name.split('_').any(|part| part == word))
        || has_login(&value)
        || !secrets::find(&value).is_empty()
}

/// Whether a text contains an address with a password.
fn has_login(text: &str) -> bool {
    text.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', '?', '#', ' ']).next().unwrap_or_default();
        authority.rsplit_once('@').is_some_and(|(login, _)| login.contains(':'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_recognised_by_name_or_value() {
        for name in "GITHUB_TOKEN GH_TOKEN NPM_TOKEN npm_config__auth CARGO_REGISTRY_TOKEN \
             CARGO_REGISTRIES_MINE_TOKEN TWINE_PASSWORD SSH_AUTH_SOCK KUBECONFIG DATABASE_URL \
             MY_KEY APIKEY STRIPE_SECRET CLIENT_SECRET_ID MYSQL_PWD PGPASSWORD SENTRY_DSN \
             AWS_PROFILE GOOGLE_APPLICATION_CREDENTIALS AZURE_X GEMINI_API_KEY CODEX_API_KEY \
             COPILOT_GITHUB_TOKEN SKILLS_REGISTRY_TOKEN SKILLS_SERVE_TOKEN DOCKER_AUTH_CONFIG \
             SLACK_WEBHOOK_URL GITLAB_PAT Github_Token HF_TOKEN VAULT_ADDR"
            .split_whitespace()
        {
            assert!(is_secret(OsStr::new(name), OsStr::new("x")), "{name}");
        }
        for name in "PATH PWD OLDPWD TERM LANG LC_ALL TZ CI HOMEBREW_PREFIX EDITOR USER SHLVL \
             TERM_PROGRAM XDG_SESSION_ID GITHUB_WORKSPACE COLUMNS SKILLS_THREADS MONKEYS_ISLAND"
            .split_whitespace()
        {
            assert!(!is_secret(OsStr::new(name), OsStr::new("x")), "{name}");
        }
        for value in
            ["https://me:secret@example.com/x", "ghp_R4nd0mX8f2Qk7LwPz3VnB6sTyHc1JdGaMe5Uo9"]
        {
            assert!(is_secret(OsStr::new("HARMLESS"), OsStr::new(value)), "{value}");
        }
        for value in ["https://example.com/a:b@c", "git@example.com:o/r", "ssh://git@example.com/r"]
        {
            assert!(!is_secret(OsStr::new("HARMLESS"), OsStr::new(value)), "{value}");
        }
    }
}
