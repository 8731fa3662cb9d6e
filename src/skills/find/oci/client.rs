//! Talks to one registry: finds out how it is reached and who may ask, and sends requests with the
//! login it wants. A login goes to the registry itself, and to a server of tokens that belongs to it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use serde::Deserialize;

use super::challenge::{self, Challenge};
use super::credentials::{self, Login, Secret};
use super::realm;
use crate::skills::find::http::{Http, HttpMethod, HttpRequest, HttpResponse, UploadBody, Url};
use crate::skills::model::address::host::is_loopback;
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, ErrorKind, Result};

/// The largest answer of a server of tokens.
const TOKEN_BYTES: u64 = 1024 * 1024;
/// Where Docker's own registry answers.
const DOCKER: (&str, &str) = ("docker.io", "registry-1.docker.io");

/// What a request does in a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RegistryAccess {
    /// Reads.
    Pull,
    /// Reads and writes.
    Push,
}

impl RegistryAccess {
    /// What a token must allow, unless the registry says it itself.
    fn scope(self, repository: &str) -> String {
        let actions = match self {
            Self::Pull => "pull",
            Self::Push => "pull,push",
        };
        format!("repository:{repository}:{actions}")
    }
}

/// One registry.
#[derive(Debug)]
pub struct RegistryClient<'n> {
    http: &'n Http,
    environment: &'n Environment,
    /// As the user wrote it.
    host: String,
    base: OnceLock<Result<Url>>,
    login: OnceLock<Result<Option<Login>>>,
    /// How it wants to be asked, once it said so.
    wanted: Mutex<Option<WantedLogin>>,
    /// Tokens by what they allow.
    tokens: Mutex<HashMap<String, Secret>>,
}

/// How a registry wants to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
enum WantedLogin {
    Basic,
    Bearer { realm: Url, service: Option<String> },
}

/// The answer of a server of tokens.
#[derive(Deserialize)]
struct TokenAnswer {
    token: Option<String>,
    access_token: Option<String>,
}

impl<'n> RegistryClient<'n> {
    /// A registry that was not asked yet.
    #[must_use]
    pub fn new(http: &'n Http, environment: &'n Environment, host: &str) -> Self {
        Self {
            http,
            environment,
            host: host.to_owned(),
            base: OnceLock::new(),
            login: OnceLock::new(),
            wanted: Mutex::default(),
            tokens: Mutex::default(),
        }
    }

    /// The registry, as the user wrote it.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The transport.
    #[must_use]
    pub const fn http(&self) -> &'n Http {
        self.http
    }

    /// An address in a repository.
    ///
    /// # Errors
    /// A registry that cannot be reached.
    pub fn url(&self, repository: &str, rest: &str) -> Result<Url> {
        let base = self.base.get_or_init(|| self.find_base()).clone()?;
        base.join(&format!("/v2/{repository}/{rest}")).map_err(|error| self.invalid(&error))
    }

    fn invalid(&self, error: &dyn std::fmt::Display) -> Error {
        Error::new(ErrorKind::Usage, format!("`{}` is not a registry: {error}", self.host))
    }

    /// Where the registry answers. On this machine, and where the user allows it, it may speak plain
    /// http, so it is asked first.
    fn find_base(&self) -> Result<Url> {
        let host = if self.host == DOCKER.0 { DOCKER.1 } else { &self.host };
        let url = |scheme: &str| {
            Url::parse(&format!("{scheme}://{host}/v2/")).map_err(|error| self.invalid(&error))
        };
        let access = self.http.access();
        let may_be_plain = is_loopback(host) || access.insecure;
        if !may_be_plain || access.offline {
            return url("https");
        }
        match self.http.send(&HttpRequest::get(url("http")?)) {
            // Servers that speak TLS answer so to those who do not.
            Ok(answer) if answer.status() == 400 => url("https"),
            Ok(answer) if answer.url().host() == url("http")?.host() => Ok(answer.url().clone()),
            Ok(_) => url("https"),
            Err(plain) => {
                let secure = url("https")?;
                let answer = self.http.send(&HttpRequest::get(secure.clone()));
                answer.map(|_| secure).map_err(|_| plain)
            }
        }
    }

    /// Sends a request with the login that the registry wants. Any answer but 401 is returned.
    ///
    /// # Errors
    /// Those of the transport, and a login that is missing or refused.
    pub fn send(
        &self,
        repository: &str,
        access: RegistryAccess,
        request: &HttpRequest<'_>,
    ) -> Result<HttpResponse<'n>> {
        self.exchange(repository, access, request, &mut |request| {
            let answer = self.http.send(request)?;
            Ok((answer.status() == 401, answer))
        })
        .map(|(_, answer)| answer)
    }

    /// The same for any way of sending, which says whether the answer was 401.
    ///
    /// # Errors
    /// As for [`Self::send`].
    pub fn exchange<T: MaybeRefusal>(
        &self,
        repository: &str,
        access: RegistryAccess,
        request: &HttpRequest<'_>,
        send: &mut dyn FnMut(&HttpRequest<'_>) -> Result<(bool, T)>,
    ) -> Result<(bool, T)> {
        let scope = access.scope(repository);
        let first = match self.authorization(&scope)? {
            Some(secret) if self.is_own(request.url()) => {
                request.clone().authorization(secret.reveal())
            }
            _ => request.clone(),
        };
        let (is_refused, answer) = send(&first)?;
        if !is_refused {
            return Ok((false, answer));
        }
        if !self.is_own(request.url()) {
            return Err(self.refused(repository, access, "it asks for a login elsewhere"));
        }
        let Some(challenge) = challenge::parse(answer.challenges()) else {
            return Err(self.refused(repository, access, "it does not say which login it wants"));
        };
        drop(answer);
        let secret = self.answer(challenge, &scope, repository, access)?;
        let (is_refused, answer) = send(&request.clone().authorization(secret.reveal()))?;
        match is_refused {
            true => Err(self.refused(repository, access, "it does not accept the login")),
            false => Ok((false, answer)),
        }
    }

    /// Whether an address belongs to the registry itself, so that a login may go there.
    fn is_own(&self, url: &Url) -> bool {
        matches!(self.base.get(), Some(Ok(base)) if base.has_same_origin(url))
    }

    /// What to send without being asked: nothing before the registry wanted something, but a token
    /// that is meant for it.
    fn authorization(&self, scope: &str) -> Result<Option<Secret>> {
        let wanted = locked(&self.wanted).clone();
        match wanted {
            None => Ok(None),
            Some(WantedLogin::Basic) => self.basic(),
            Some(WantedLogin::Bearer { realm, service }) => {
                if let Some(token) = locked(&self.tokens).get(scope) {
                    return Ok(Some(token.clone()));
                }
                self.token(&realm, service.as_deref(), scope, scope).map(Some)
            }
        }
    }

    /// The login that a challenge asks for.
    fn answer(
        &self,
        challenge: Challenge,
        scope: &str,
        repository: &str,
        access: RegistryAccess,
    ) -> Result<Secret> {
        match challenge {
            Challenge::Basic => {
                let is_known = *locked(&self.wanted) == Some(WantedLogin::Basic);
                *locked(&self.wanted) = Some(WantedLogin::Basic);
                match self.basic()? {
                    Some(_) if is_known => {
                        Err(self.refused(repository, access, "it does not accept the login"))
                    }
                    Some(secret) => Ok(secret),
                    None => Err(self.refused(repository, access, "it wants a login")),
                }
            }
            Challenge::Bearer { realm, service, scope: told, .. } => {
                let realm = self.checked_realm(&realm)?;
                let wanted = WantedLogin::Bearer { realm: realm.clone(), service: service.clone() };
                *locked(&self.wanted) = Some(wanted);
                let told = told.filter(|told| !told.is_empty());
                let asked = told.as_deref().unwrap_or(scope);
                self.token(&realm, service.as_deref(), asked, scope)
            }
        }
    }

    fn login(&self) -> Result<Option<Login>> {
        self.login.get_or_init(|| credentials::of_host(&self.host, self.environment)).clone()
    }

    /// A login with a name and a password, or a token that is sent as it is.
    fn basic(&self) -> Result<Option<Secret>> {
        Ok(match self.login()? {
            Some(Login::Password(user, password)) => Some(credentials::basic(&user, &password)),
            Some(Login::Token(token)) => Some(bearer(&token)),
            Some(Login::Identity(_)) | None => None,
        })
    }

    /// Refuses a server of tokens that does not belong to the registry.
    fn checked_realm(&self, text: &str) -> Result<Url> {
        let stranger = |reason: &str| {
            let shown = text.split(['?', '#']).next().unwrap_or_default().escape_debug();
            let message = format!(
                "`{}` wants logins to be sent to `{shown}`, which is refused: {reason}",
                self.host
            );
            Error::new(ErrorKind::Auth, message)
                .help("no login was sent; tell those who run the registry")
        };
        let url = Url::parse(text).map_err(|error| stranger(&error.to_string()))?;
        realm::check(&self.host, &url).map_err(|reason| stranger(&reason))?;
        Ok(url)
    }

    /// Gets a token, and keeps it for what it was needed for.
    fn token(
        &self,
        realm: &Url,
        service: Option<&str>,
        asked: &str,
        scope: &str,
    ) -> Result<Secret> {
        let login = self.login()?;
        if let Some(Login::Token(token)) = &login {
            let token = bearer(token);
            locked(&self.tokens).insert(scope.to_owned(), token.clone());
            return Ok(token);
        }
        let base = self.base.get_or_init(|| self.find_base()).clone()?;
        let answer = match &login {
            Some(Login::Identity(token)) => {
                let mut form = vec![
                    ("grant_type", "refresh_token"),
                    ("client_id", crate::PROGRAM),
                    ("scope", asked),
                    ("refresh_token", token.reveal()),
                ];
                form.extend(service.map(|service| ("service", service)));
                let body = form_text(&form);
                let request = HttpRequest::new(HttpMethod::Post, realm.clone())
                    .named_by(&base)
                    .header("content-type", "application/x-www-form-urlencoded")
                    .without_redirects()
                    .body(UploadBody::Bytes(body.as_bytes()));
                self.http.send(&request)?
            }
            _ => {
                let mut url = realm.clone();
                if let Some(service) = service {
                    url = url.with_query("service", service);
                }
                for scope in asked.split(' ').filter(|scope| !scope.is_empty()) {
                    url = url.with_query("scope", scope);
                }
                let mut request = HttpRequest::get(url).named_by(&base);
                if let Some(Login::Password(user, password)) = &login {
                    request = request.authorization(credentials::basic(user, password).reveal());
                }
                self.http.send(&request)?
            }
        };
        let failed = |reason: &str| {
            let message =
                format!("`{}` gave no token for `{}`: {reason}", realm.authority(), self.host);
            Error::new(ErrorKind::Auth, message).help(self.advice(login.is_some()))
        };
        if !answer.is_success() {
            return Err(match answer.status() {
                400..=499 => failed(&format!("it answers: {}", answer.status_text())),
                _ => answer.refusal(),
            });
        }
        let bytes = answer.bytes(TOKEN_BYTES)?;
        // The message of the parser could quote a token.
        let answer: TokenAnswer =
            serde_json::from_slice(&bytes).map_err(|_| failed("its answer is not valid"))?;
        let is_plain =
            |token: &String| !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
        let token = answer.token.or(answer.access_token).filter(is_plain);
        let token = token.ok_or_else(|| failed("its answer holds no token"))?;
        let token = bearer(&Secret::new(token));
        locked(&self.tokens).insert(scope.to_owned(), token.clone());
        Ok(token)
    }

    /// The error for a registry that does not let us.
    #[must_use]
    pub fn refused(&self, repository: &str, access: RegistryAccess, reason: &str) -> Error {
        let what = match access {
            RegistryAccess::Pull => "read from",
            RegistryAccess::Push => "write to",
        };
        let message = format!("cannot {what} `oci://{}/{repository}`: {reason}", self.host);
        let has_login = matches!(self.login.get(), Some(Ok(Some(_))));
        Error::new(ErrorKind::Auth, message).help(self.advice(has_login))
    }

    fn advice(&self, has_login: bool) -> String {
        let (host, variable) = (&self.host, credentials::TOKEN_VARIABLE);
        match has_login {
            true => format!(
                "check the name, the password and the rights there; `docker login {host}` or \
                 `{variable}={host}=USER:PASSWORD` changes the login"
            ),
            false => format!(
                "there is no login for `{host}`: run `docker login {host}`, or set \
                 `{variable}={host}=TOKEN` or `{host}=USER:PASSWORD`"
            ),
        }
    }
}

/// An answer that may say which login is wanted.
pub trait MaybeRefusal {
    /// The headers that say so.
    fn challenges(&self) -> Vec<&str>;
}

impl MaybeRefusal for HttpResponse<'_> {
    fn challenges(&self) -> Vec<&str> {
        self.headers("www-authenticate").collect()
    }
}

fn bearer(token: &Secret) -> Secret {
    Secret::new(format!("Bearer {}", token.reveal()))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keys and values as a form sends them.
fn form_text(values: &[(&str, &str)]) -> String {
    let escaped = |text: &str| {
        text.bytes().fold(String::new(), |mut escaped, byte| {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => {
                    escaped.push(char::from(byte));
                }
                _ => escaped.push_str(&format!("%{byte:02X}")),
            }
            escaped
        })
    };
    let pairs: Vec<String> =
        values.iter().map(|(key, value)| format!("{}={}", escaped(key), escaped(value))).collect();
    pairs.join("&")
}
