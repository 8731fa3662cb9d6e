//! Recognises variables with secrets, by their names and values. `include_host_env` passes none.

use std::ffi::OsStr;

use crate::skills::text::secrets;

/// Variables with secrets, or that lead to them, in upper case and without digits at the end. Most are
/// patterns, because no list of names is complete. A false match costs the user one line of `env`.
const WHOLE: &str = "BOTO_CONFIG DATABASE_URL DBUS_SESSION_BUS_ADDRESS GH_CONFIG_DIR GLAB_CONFIG_DIR \
    GNUPGHOME GPG_AGENT_INFO KRB5CCNAME KUBECONFIG MONGO_URL MONGODB_URI NETRC PGSERVICEFILE \
    REDIS_URL SSH_AGENT_PID SSH_AUTH_SOCK XAUTHORITY";
const BEGINNINGS: &str = "ANTHROPIC_ AWS_ AZURE_ BUNDLE_GEMS__ CLAUDE_ CLOUDSDK_ DOCKER_ GIT_CONFIG_ \
    GOOGLE_ NPM_CONFIG_ OPENAI_ TF_VAR_ VAULT_";
const ENDS: &str = "AUTH COOKIE DSN KEY KEYS PAT PW TOKENS _PIN _PWD _SALT _SK";
const PARTS: &str = "APIKEY AUTHORIZATION CONNECTIONSTRING CONNECTION_STRING CONNSTR CONN_STR CREDS \
    CREDENTIAL KEYCHAIN KEYFILE KEYRING KEYSTORE KEYTAB MNEMONIC PASS PEM PRIVATE SECRET SIGNING \
    SSHKEY TOKEN WEBHOOK _SESSION";
const WORDS: &str =
    "AUTH BEARER COOKIE CRED CREDS HMAC JWT KEY KEYS OAUTH OTP PWD SAS SESSION TOKENS TOTP";
/// What looks like one of them in names without secrets.
const HARMLESS: &str = "BYPASS COMPASS COMPAT DESKTOP_SESSION OLDPWD PASSENGER PASSIVE PASSTHROUGH \
    TERM_SESSION_ID TOKENIZERS XDG_SESSION_";
/// Fields of connection strings and headers that hold a secret, in lower case.
const FIELDS: &str = "accountkey= authorization: password= pwd= secret= sharedaccesskey= token=";

/// Whether a variable holds a secret, or leads to one.
pub(super) fn is_secret(name: &OsStr, value: &OsStr) -> bool {
    let upper = name.to_string_lossy().to_ascii_uppercase();
    if upper == "PWD" {
        return false;
    }
    let harmless = HARMLESS.split_ascii_whitespace();
    let name = harmless.fold(upper, |name, part| name.replace(part, ""));
    let name = name.trim_end_matches(|one: char| one.is_ascii_digit() || one == '_');
    let any =
        |list: &'static str, holds: &dyn Fn(&str) -> bool| list.split_ascii_whitespace().any(holds);
    let value = value.to_string_lossy();
    let lower = value.to_ascii_lowercase();
    any(WHOLE, &|whole| name == whole)
        || any(BEGINNINGS, &|beginning| name.starts_with(beginning))
        || any(ENDS, &|end| name.ends_with(end))
        || any(PARTS, &|part| name.contains(part))
        || any(WORDS, &|word| name.split('_').any(|part| part == word))
        || any(FIELDS, &|field| lower.contains(field))
        || has_login(&value)
        || is_json_web_token(&value)
        || !secrets::find(&value).is_empty()
}

/// Whether a text contains an address with a password, or the login of a connection.
fn has_login(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once("://") else {
        // `me:secret@tcp(localhost)/db`
        return text.split_once('@').is_some_and(|(login, _)| {
            login.contains(':') && !login.contains(|one: char| one == '/' || one.is_whitespace())
        });
    };
    // What stands there alone is a token.
    let is_token = scheme.to_ascii_lowercase().ends_with("http") || scheme.ends_with("https");
    text.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', '?', '#', ' ']).next().unwrap_or_default();
        authority.rsplit_once('@').is_some_and(|(login, _)| is_token || login.contains(':'))
    })
}

/// Whether a text is three parts of Base64, of which the first is a header in JSON.
fn is_json_web_token(text: &str) -> bool {
    text.trim().starts_with("eyJ") && text.matches('.').count() == 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_recognised_by_name_or_value() {
        // Names from the documentation of programs, not from the lists above.
        for name in "GITHUB_TOKEN GH_TOKEN NPM_TOKEN npm_config__auth CARGO_REGISTRY_TOKEN \
             CARGO_REGISTRIES_MINE_TOKEN TWINE_PASSWORD SSH_AUTH_SOCK KUBECONFIG DATABASE_URL \
             MY_KEY APIKEY STRIPE_SECRET CLIENT_SECRET_ID MYSQL_PWD PGPASSWORD SENTRY_DSN \
             AWS_PROFILE GOOGLE_APPLICATION_CREDENTIALS AZURE_X GEMINI_API_KEY CODEX_API_KEY \
             COPILOT_GITHUB_TOKEN SKILLS_REGISTRY_TOKEN SKILLS_SERVE_TOKEN DOCKER_AUTH_CONFIG \
             SLACK_WEBHOOK_URL GITLAB_PAT Github_Token HF_TOKEN VAULT_ADDR \
             BW_SESSION BW_CLIENTSECRET OP_SESSION_me OP_SERVICE_ACCOUNT_TOKEN GCP_CREDS CREDS \
             DBPASS DB_PW LDAP_BINDPW AUTHORIZATION GIT_CONFIG_VALUE_0 GIT_CONFIG_VALUE_12 \
             GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT GIT_ASKPASS SSH_ASKPASS PRIVATE_PEM TLS_PEM \
             PASSFILE PGPASSFILE KRB5CCNAME KRB5_KTNAME_KEYTAB XAUTHORITY DBUS_SESSION_BUS_ADDRESS \
             CLOUDSDK_CONFIG GH_CONFIG_DIR MYTOKEN2 STRIPE_SK API_KEY_2 SIGNING_SEED PRIVATE \
             DJANGO_SESSION_COOKIE AUTH0_CLIENT_SECRET RAILS_MASTER_KEY SECRET_KEY_BASE \
             ANSIBLE_VAULT_PASSWORD_FILE RESTIC_PASSWORD_COMMAND BORG_PASSPHRASE \
             CIRCLE_OIDC_TOKEN_V2 ACTIONS_ID_TOKEN_REQUEST_URL ARM_CLIENT_SECRET STORAGE_SAS \
             BUNDLE_GEMS__EXAMPLE__COM COMPOSER_AUTH NOMAD_TOKEN FASTLANE_SESSION \
             MATCH_PASSWORD SONAR_TOKEN SNYK_TOKEN KEYSTORE_FILE WALLET_MNEMONIC CARD_PIN PASS"
            .split_whitespace()
        {
            assert!(is_secret(OsStr::new(name), OsStr::new("x")), "{name}");
        }
        for name in "PATH PWD OLDPWD TERM LANG LC_ALL TZ CI HOMEBREW_PREFIX EDITOR USER SHLVL \
             TERM_PROGRAM XDG_SESSION_ID XDG_SESSION_TYPE GITHUB_WORKSPACE COLUMNS SKILLS_THREADS \
             MONKEYS_ISLAND PASSTHROUGH BYPASS_CACHE COMPASS_DIR TOKENIZERS_PARALLELISM \
             KEYBOARD_LAYOUT DESKTOP_SESSION TERM_SESSION_ID DISPLAY WAYLAND_DISPLAY PAGER VISUAL \
             SHELL LOGNAME TMPDIR HOSTNAME COLORTERM NO_COLOR NODE_ENV NODE_OPTIONS JAVA_HOME GOPATH \
             CARGO_HOME RUSTUP_HOME VIRTUAL_ENV PYTHONPATH PYTHONHASHSEED RANDOM_SEED NVM_DIR \
             SSL_CERT_FILE GITHUB_ACTIONS GITHUB_REPOSITORY GITHUB_SHA RUNNER_OS BUILD_NUMBER \
             PGHOST PGUSER PGPORT DEBUG MAKEFLAGS CC CFLAGS HTTP_PROXY no_proxy AUTHOR \
             GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL GIT_EDITOR DBUS_STARTER MANPATH LESS LS_COLORS"
            .split_whitespace()
        {
            assert!(!is_secret(OsStr::new(name), OsStr::new("x")), "{name}");
        }
        for value in [
            "https://me:secret@example.com/x",
            "ghp_R4nd0mX8f2Qk7LwPz3VnB6sTyHc1JdGaMe5Uo9",
            "http://me:secret@proxy.example:8080",
            "https://0a1b2c@sentry.example/1",
            "postgres://me:secret@db/x",
            "me:secret@tcp(localhost:3306)/db",
            "Server=db;User=me;Password=secret",
            "host=db user=me password=secret",
            "AccountName=x;AccountKey=abc==",
            "Authorization: Basic YTpi",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
            "jdbc:postgresql://db/x?user=me&password=secret",
        ] {
            assert!(is_secret(OsStr::new("HARMLESS"), OsStr::new(value)), "{value}");
        }
        for value in [
            "https://example.com/a:b@c",
            "git@example.com:o/r",
            "ssh://git@example.com/r",
            "http://proxy.example:8080",
            "/bin:/usr/me@host/bin",
            "rs=0:di=01;34:*.tar=01;31",
            "user@example.com",
            "unix:path=/run/user/0/bus",
        ] {
            assert!(!is_secret(OsStr::new("HARMLESS"), OsStr::new(value)), "{value}");
        }
    }
}
