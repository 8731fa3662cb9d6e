//! The login of a registry, from Docker's own configuration, a credential helper, or the
//! environment. Nothing here is printed, recorded or written.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use std::{fmt, thread};

use serde::Deserialize;

use crate::skills::files::{self, SignalGuard, content, programs};
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, ErrorKind, Result, err};
use crate::skills::text::base64;

/// Logins in the environment: `HOST=TOKEN`, several with blanks between them.
pub const TOKEN_VARIABLE: &str = "SKILLS_REGISTRY_TOKEN";

/// Where Docker keeps its configuration.
const CONFIG_VARIABLE: &str = "DOCKER_CONFIG";

const CONFIG_FILE: &str = "config.json";

/// The largest configuration.
const CONFIG_BYTES: u64 = 1024 * 1024;

/// What Docker calls its own registry.
const DOCKER_KEY: &str = "https://index.docker.io/v1/";

/// The name that stands for a token instead of a user.
const TOKEN_USER: &str = "<token>";

/// A text that must never be shown.
#[derive(Clone, PartialEq, Eq)]
pub struct HiddenText(String);

impl HiddenText {
    /// Takes a text.
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// The text, to send it to the one it is for.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for HiddenText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("HiddenText(…)")
    }
}

/// Who asks a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegistryLogin {
    /// A name and a password.
    Password(String, HiddenText),
    /// A token that is exchanged for others.
    Identity(HiddenText),
    /// A token that the registry takes as it is.
    Token(HiddenText),
}

/// The login for a registry, if there is one.
pub fn of_host(host: &str, environment: &Environment) -> Result<Option<RegistryLogin>> {
    if let Some(text) = environment.variable(TOKEN_VARIABLE) {
        let text =
            text.to_str().ok_or_else(|| err!(Usage, "`{TOKEN_VARIABLE}` is not valid UTF-8"))?;
        if let Some(login) = of_variable(text, host)? {
            return Ok(Some(login));
        }
    }
    let Some((path, config)) = read_config(environment)? else { return Ok(None) };
    let names = names(host);
    let own_helper = names.iter().find_map(|name| config.cred_helpers.get(name));
    if let Some(program) = own_helper.or(config.creds_store.as_ref())
        && let Some(login) = asked(program, &names, environment)?
    {
        return Ok(Some(login));
    }
    let is_ours = |written: &&String| names.contains(&bare(written).to_ascii_lowercase());
    let Some(key) = config.auths.keys().filter(is_ours).min() else { return Ok(None) };
    config.auths[key].login().map_err(|reason| {
        let message =
            format!("the login of `{host}` in `{}` is not valid: {reason}", path.display());
        Error::new(ErrorKind::Auth, message)
            .at(path)
            .help("log in again, such as with `docker login`")
    })
}

/// The login that the variable has for a host.
fn of_variable(text: &str, host: &str) -> Result<Option<RegistryLogin>> {
    for entry in text.split_whitespace() {
        let (known, token) = entry
            .split_once('=')
            .filter(|(host, token)| !host.is_empty() && !token.is_empty())
            .ok_or_else(|| {
                err!(Usage, "`{TOKEN_VARIABLE}` is not `HOST=TOKEN`")
                    .help("write several with blanks between them")
            })?;
        if names(host).contains(&known.to_ascii_lowercase()) {
            return Ok(Some(match token.split_once(':') {
                Some((user, password)) => {
                    RegistryLogin::Password(user.to_owned(), HiddenText::new(password.to_owned()))
                }
                None => RegistryLogin::Token(HiddenText::new(token.to_owned())),
            }));
        }
    }
    Ok(None)
}

/// All names of a registry, as configurations write them.
fn names(host: &str) -> Vec<String> {
    let host = host.to_ascii_lowercase();
    match host.as_str() {
        "docker.io" | "index.docker.io" | "registry-1.docker.io" => {
            let names = [DOCKER_KEY, "index.docker.io", "docker.io", "registry-1.docker.io"];
            names.map(str::to_owned).to_vec()
        }
        _ => vec![host],
    }
}

/// A key of `auths` without its scheme and path.
fn bare(written: &str) -> &str {
    let rest = written.split_once("://").map_or(written, |(_, rest)| rest);
    rest.split('/').next().unwrap_or_default()
}

/// Asks a helper for each name of a registry.
fn asked(
    program: &str,
    names: &[String],
    environment: &Environment,
) -> Result<Option<RegistryLogin>> {
    for name in names {
        if let Some((user, secret)) = get(program, name, environment)? {
            return Ok(Some(match user.as_str() {
                TOKEN_USER => RegistryLogin::Identity(secret),
                _ => RegistryLogin::Password(user, secret),
            }));
        }
    }
    Ok(None)
}

/// Docker's configuration, as far as it matters.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DockerConfig {
    #[serde(default)]
    auths: HashMap<String, DockerLogin>,
    #[serde(default)]
    creds_store: Option<String>,
    #[serde(default)]
    cred_helpers: HashMap<String, String>,
}

#[derive(Deserialize)]
struct DockerLogin {
    #[serde(default)]
    auth: String,
    #[serde(default)]
    username: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    identitytoken: String,
    #[serde(default)]
    registrytoken: String,
}

impl DockerLogin {
    fn login(&self) -> Result<Option<RegistryLogin>, String> {
        let secret = |text: &str| HiddenText::new(text.to_owned());
        if !self.registrytoken.is_empty() {
            return Ok(Some(RegistryLogin::Token(secret(&self.registrytoken))));
        }
        if !self.identitytoken.is_empty() {
            return Ok(Some(RegistryLogin::Identity(secret(&self.identitytoken))));
        }
        if !self.auth.is_empty() {
            let decoded =
                base64::decode_any(&self.auth).and_then(|bytes| String::from_utf8(bytes).ok());
            let decoded = decoded.ok_or("`auth` is not base64")?;
            let (user, password) =
                decoded.split_once(':').ok_or("`auth` is not a name and a password")?;
            let password = password.trim_end_matches('\0');
            return Ok(Some(RegistryLogin::Password(user.to_owned(), secret(password))));
        }
        let has_login = !self.username.is_empty();
        Ok(has_login
            .then(|| RegistryLogin::Password(self.username.clone(), secret(&self.password))))
    }
}

fn read_config(environment: &Environment) -> Result<Option<(PathBuf, DockerConfig)>> {
    let directory = match environment.variable(CONFIG_VARIABLE) {
        Some(directory) => Some(environment.directory.join(directory)),
        None => environment.home.as_ref().map(|home| home.join(".docker")),
    };
    let Some(path) = directory.map(|directory| directory.join(CONFIG_FILE)) else {
        return Ok(None);
    };
    // The file is the user's own, so links are followed.
    let Ok(real) = path.canonicalize() else { return Ok(None) };
    let opened = files::open_without_following(&real);
    let bytes = opened
        .and_then(|file| content::whole(file, CONFIG_BYTES))
        .map_err(|error| Error { kind: ErrorKind::Auth, ..Error::io("read", &path, &error) })?;
    // The message of the parser could quote a secret.
    let config = serde_json::from_slice(&bytes).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        err!(Auth, "`{}` is not valid at {line}:{column}", path.display())
            .at(&path)
            .help("log in again, such as with `docker login`")
    })?;
    Ok(Some((path, config)))
}

/// Encodes a name and a password for a header.
pub fn basic(user: &str, password: &HiddenText) -> HiddenText {
    let bytes = format!("{user}:{}", password.reveal()).into_bytes();
    HiddenText::new(format!("Basic {}", base64::encode(&bytes)))
}

// Asks a credential helper (`docker-credential-NAME get`) for a login, with limits of time and size.
// What it prints is never shown.

/// How long a helper may take. Some ask a server.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often to check whether it has ended.
const TICK: Duration = Duration::from_millis(5);

/// How much of its answer is read.
const ANSWER_BYTES: u64 = 64 * 1024;

/// What helpers print when they have no login.
const NOT_FOUND: &str = "credentials not found";

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct HelperAnswer {
    username: String,
    secret: String,
}

/// The name and secret that a helper has for a server; none when it has none.
pub fn get(
    name: &str,
    server: &str,
    environment: &Environment,
) -> Result<Option<(String, HiddenText)>> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.is_empty() || !name.chars().all(is_plain) {
        return Err(err!(Auth, "`{}` is not the name of a credential helper", name.escape_debug())
            .help("correct Docker's configuration"));
    }
    let program = format!("docker-credential-{name}");
    let failed = |reason: &str| {
        err!(Auth, "`{program}` gave no login for `{server}`: {reason}")
            .help(format!("run `echo {server} | {program} get` to see why"))
    };
    let path = find(&program, environment)
        .ok_or_else(|| failed("it is not on PATH, and Docker's configuration names it"))?;
    let mut command = Command::new(path);
    command.arg("get").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let (succeeded, answer) = run(command, server).map_err(|reason| failed(&reason))?;
    if !succeeded {
        let has_none = String::from_utf8_lossy(&answer).to_lowercase().contains(NOT_FOUND);
        return if has_none { Ok(None) } else { Err(failed("it failed")) };
    }
    let answer: HelperAnswer =
        serde_json::from_slice(&answer).map_err(|_| failed("its answer is not valid"))?;
    Ok((!answer.secret.is_empty()).then(|| (answer.username, HiddenText::new(answer.secret))))
}

/// The program, from a directory of PATH that is named in full: others depend on where one stands.
fn find(program: &str, environment: &Environment) -> Option<PathBuf> {
    let path = environment.variable("PATH")?;
    let absolute = std::env::split_paths(path).filter(|directory| directory.is_absolute());
    let path: OsString = std::env::join_paths(absolute).ok()?;
    let can_run =
        |file: &PathBuf| file.metadata().is_ok_and(|metadata| files::is_executable(&metadata));
    programs::candidates(program.as_ref(), Some(&path)).into_iter().find(can_run)
}

/// Runs a helper; returns whether it succeeded, and what it printed.
fn run(mut command: Command, input: &str) -> Result<(bool, Vec<u8>), String> {
    let reason = |error: std::io::Error| error.to_string();
    // A signal that ends this process must also end the helper and its children.
    let attention = SignalGuard::begin().map_err(reason)?;
    files::lead_group(&mut command);
    let mut child = command.spawn().map_err(reason)?;
    let ended = attend(&mut child, input, &attention);
    if ended.is_err() {
        files::end_group(&mut child);
    }
    ended
}

fn attend(
    child: &mut Child,
    input: &str,
    attention: &SignalGuard,
) -> Result<(bool, Vec<u8>), String> {
    let reason = |error: std::io::Error| error.to_string();
    let (mut stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let input = format!("{input}\n");
    let (sender, answers) = mpsc::sync_channel(1);
    let talk = move || {
        // A helper that does not read its input says so by its exit code.
        drop(stdin.as_mut().map(|stdin| stdin.write_all(input.as_bytes())));
        drop(stdin);
        let mut bytes = Vec::new();
        let read = stdout.map(|stdout| stdout.take(ANSWER_BYTES + 1).read_to_end(&mut bytes));
        let _ = sender.send(read.map_or(Ok(0), |read| read).map(|_| bytes));
    };
    thread::Builder::new().spawn(talk).map_err(reason)?;
    let started = Instant::now();
    let mut answer = None;
    loop {
        if answer.is_none() {
            answer = answers.recv_timeout(TICK).ok();
        } else {
            thread::sleep(TICK);
        }
        if attention.is_over() {
            return Err("interrupted".to_owned());
        }
        if started.elapsed() > PATIENCE {
            return Err(format!("it took more than {} seconds", PATIENCE.as_secs()));
        }
        let too_long = matches!(&answer, Some(Ok(bytes)) if bytes.len() as u64 > ANSWER_BYTES);
        if too_long {
            return Err("its answer is too long".to_owned());
        }
        let Some(status) = child.try_wait().map_err(reason)? else { continue };
        if let Some(answer) = answer.take() {
            return Ok((status.success(), answer.map_err(reason)?));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;

    use super::*;

    fn password(user: &str, password: &str) -> Option<RegistryLogin> {
        Some(RegistryLogin::Password(user.to_owned(), HiddenText::new(password.to_owned())))
    }

    fn environment(config: &str, variables: &[(&str, &str)]) -> (tempfile::TempDir, Environment) {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("config.json"), config).unwrap();
        let mut all: Vec<(OsString, OsString)> =
            vec![(CONFIG_VARIABLE.into(), temp.path().as_os_str().to_owned())];
        all.extend(variables.iter().map(|(key, value)| (key.into(), value.into())));
        let environment = Environment::new(temp.path().to_owned(), all);
        (temp, environment)
    }

    #[test]
    fn logins_of_dockers_configuration() {
        let config = r#"{"auths": {
            "registry.example": {"auth": "dXNlcjpwYTpzcw=="},
            "https://other.example/v2/": {"username": "u", "password": "p"},
            "token.example:5000": {"identitytoken": "i"},
            "https://index.docker.io/v1/": {"auth": "ZDpk"},
            "bad.example": {"auth": "%%"},
            "empty.example": {}
        }, "HttpHeaders": {"x": 1}}"#;
        let (_temp, environment) = environment(config, &[]);
        let of = |host: &str| of_host(host, &environment).unwrap();
        assert_eq!(of("registry.example"), password("user", "pa:ss"));
        assert_eq!(of("Registry.Example"), password("user", "pa:ss"));
        assert_eq!(of("other.example"), password("u", "p"));
        assert_eq!(
            of("token.example:5000"),
            Some(RegistryLogin::Identity(HiddenText::new("i".to_owned())))
        );
        assert_eq!(of("token.example"), None);
        assert_eq!(of("docker.io"), password("d", "d"));
        assert_eq!(of("empty.example"), None);
        assert_eq!(of("unknown.example"), None);
        let error = of_host("bad.example", &environment).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Auth);
    }

    #[test]
    fn the_environment_comes_first_and_only_for_its_host() {
        let config = r#"{"auths": {"a.example": {"auth": "dTpw"}}}"#;
        let value = "a.example=t0ken b.example:5000=me:secret";
        let (_temp, environment) = environment(config, &[(TOKEN_VARIABLE, value)]);
        let of = |host: &str| of_host(host, &environment).unwrap();
        assert_eq!(
            of("a.example"),
            Some(RegistryLogin::Token(HiddenText::new("t0ken".to_owned())))
        );
        assert_eq!(of("b.example:5000"), password("me", "secret"));
        assert_eq!(of("b.example"), None);
    }

    #[test]
    fn a_wrong_configuration_shows_nothing_of_itself() {
        for config in ["{\"auths\": {\"a.example\": {\"auth\": \"s3cret\", }}}", "[\"s3cret\"]"] {
            let (_temp, environment) = environment(config, &[(TOKEN_VARIABLE, "x=y")]);
            let error = of_host("a.example", &environment).unwrap_err();
            assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
        }
        let (_temp, environment) = environment("{}", &[(TOKEN_VARIABLE, "s3cret")]);
        let error = of_host("a.example", &environment).unwrap_err();
        assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
        assert!(!format!("{:?}", password("u", "s3cret")).contains("s3cret"));
    }

    #[test]
    fn a_header_has_name_and_password() {
        for (user, word) in [("", ""), ("a", "b"), ("user", "pässword"), ("x", "12"), ("x", "123")]
        {
            let header = basic(user, &HiddenText::new(word.to_owned()));
            let text = header.reveal().strip_prefix("Basic ").unwrap();
            assert_eq!(text.len() % 4, 0);
            assert_eq!(base64::decode(text).unwrap(), format!("{user}:{word}").into_bytes());
        }
        assert_eq!(
            basic("Aladdin", &HiddenText::new("open sesame".to_owned())).reveal(),
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
        );
    }
}
