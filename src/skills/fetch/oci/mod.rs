//! Skills as artifacts of OCI registries: the client, its tokens, and what it trusts to ask for a login.

pub mod collect;
pub mod credentials;
pub mod documents;
pub mod layout;
pub mod registry;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde::Deserialize;

use crate::skills::fetch::http::{Http, HttpMethod, HttpRequest, HttpResponse, UploadBody, Url};
use crate::skills::fetch::oci::credentials::{HiddenText, RegistryLogin};
use crate::skills::model::address::host::{self, is_loopback};
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, ErrorKind, Result, err};

// Talks to one registry: finds out how it is reached and who may ask, and sends requests with the
// login it wants. A login goes to the registry itself, and to a server of tokens that belongs to it.

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

#[derive(Debug)]
pub struct RegistryClient<'n> {
    pub http: &'n Http,
    environment: &'n Environment,
    /// As the user wrote it.
    pub host: String,
    pub known: Arc<KnownRegistry>,
}

/// What a run has learnt about a registry. All its sources there share it, so that a registry is asked
/// for a token once, and a credential helper for the login.
#[derive(Debug, Default)]
pub struct KnownRegistry {
    pub base: OnceLock<Result<Url>>,
    login: OnceLock<Result<Option<RegistryLogin>>>,
    /// How it wants to be asked, once it said so.
    wanted: Mutex<Option<WantedLogin>>,
    /// Tokens by what they allow.
    pub tokens: Mutex<HashMap<String, HiddenText>>,
}

/// How a registry wants to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
enum WantedLogin {
    Basic,
    Bearer { realm: Url, service: Option<String> },
}

impl<'n> RegistryClient<'n> {
    /// A registry of which this is known.
    pub fn new(
        http: &'n Http,
        environment: &'n Environment,
        host: &str,
        known: Arc<KnownRegistry>,
    ) -> Self {
        Self { http, environment, host: host.to_owned(), known }
    }

    /// The registry, as the user wrote it.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The transport.
    pub const fn http(&self) -> &'n Http {
        self.http
    }

    /// An address in a repository.
    pub fn url(&self, repository: &str, rest: &str) -> Result<Url> {
        let base = self.known.base.get_or_init(|| self.find_base()).clone()?;
        base.join(&format!("/v2/{repository}/{rest}")).map_err(|error| self.invalid(&error))
    }

    fn invalid(&self, error: &dyn std::fmt::Display) -> Error {
        err!(Usage, "`{}` is not a registry: {error}", self.host)
    }

    /// Where the registry answers. On this machine, and where the user allows it, it may speak plain
    /// http, so it is asked first.
    pub fn find_base(&self) -> Result<Url> {
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
            // A login is for one port.
            Ok(answer) if answer.url().authority() == url("http")?.authority() => {
                Ok(answer.url().clone())
            }
            Ok(_) => url("https"),
            Err(plain) => {
                let secure = url("https")?;
                let answer = self.http.send(&HttpRequest::get(secure.clone()));
                // Where nothing listens, both say the same.
                answer.map(|_| secure).map_err(|error| match error.message == plain.message {
                    true => plain,
                    false => error,
                })
            }
        }
    }

    /// Sends a request with the login that the registry wants. Any answer but 401 is returned.
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
    pub fn exchange<T: MaybeRefusal>(
        &self,
        repository: &str,
        access: RegistryAccess,
        request: &HttpRequest<'_>,
        send: &mut dyn FnMut(&HttpRequest<'_>) -> Result<(bool, T)>,
    ) -> Result<(bool, T)> {
        let scope = access.scope(repository);
        let sent = self.authorization(&scope)?.filter(|_| self.is_own(request.url()));
        if sent.is_some() {
            self.refuse_plain(repository, access)?;
        }
        let first = match &sent {
            Some(secret) => request.clone().authorization(secret.reveal()),
            None => request.clone(),
        };
        let (is_refused, answer) = send(&first)?;
        if !is_refused {
            return Ok((false, answer));
        }
        if !self.is_own(request.url()) {
            return Err(self.refused(repository, access, "it asks for a login elsewhere"));
        }
        let Some(challenge) = parse(answer.challenges()) else {
            return Err(self.refused(repository, access, "it does not say which login it wants"));
        };
        drop(answer);
        if sent.is_some() && challenge == Challenge::Basic {
            return Err(self.refused(repository, access, "it does not accept the login"));
        }
        let secret = self.answer(challenge, &scope, repository, access)?;
        self.refuse_plain(repository, access)?;
        let (is_refused, answer) = send(&request.clone().authorization(secret.reveal()))?;
        match is_refused {
            true => Err(self.refused(repository, access, "it does not accept the login")),
            false => Ok((false, answer)),
        }
    }

    /// Refuses to send a login over plain http to another machine, whatever the user allows.
    fn refuse_plain(&self, repository: &str, access: RegistryAccess) -> Result<()> {
        match self.known.base.get() {
            Some(Ok(base)) if base.is_secure() || is_loopback(&base.authority()) => Ok(()),
            _ => Err(self
                .refused(repository, access, "logins are sent over https only")
                .help("give the registry a certificate, or let everybody read from it")),
        }
    }

    /// Whether an address belongs to the registry itself, so that a login may go there.
    fn is_own(&self, url: &Url) -> bool {
        matches!(self.known.base.get(), Some(Ok(base)) if base.has_same_origin(url))
    }

    /// What to send without being asked: nothing before the registry wanted something, but a token
    /// that is meant for it.
    fn authorization(&self, scope: &str) -> Result<Option<HiddenText>> {
        let wanted = locked(&self.known.wanted).clone();
        match wanted {
            None => Ok(None),
            Some(WantedLogin::Basic) => self.basic(),
            Some(WantedLogin::Bearer { realm, service }) => {
                if let Some(token) = locked(&self.known.tokens).get(scope) {
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
    ) -> Result<HiddenText> {
        match challenge {
            Challenge::Basic => {
                *locked(&self.known.wanted) = Some(WantedLogin::Basic);
                let secret = self.basic()?;
                secret.ok_or_else(|| self.refused(repository, access, "it wants a login"))
            }
            Challenge::Bearer { realm, service, scope: told, .. } => {
                let realm = self.checked_realm(&realm)?;
                let wanted = WantedLogin::Bearer { realm: realm.clone(), service: service.clone() };
                *locked(&self.known.wanted) = Some(wanted);
                let told = told.filter(|told| !told.is_empty());
                let asked = told.as_deref().unwrap_or(scope);
                self.token(&realm, service.as_deref(), asked, scope)
            }
        }
    }

    pub fn login(&self) -> Result<Option<RegistryLogin>> {
        self.known.login.get_or_init(|| credentials::of_host(&self.host, self.environment)).clone()
    }

    /// A login with a name and a password, or a token that is sent as it is.
    fn basic(&self) -> Result<Option<HiddenText>> {
        Ok(match self.login()? {
            Some(RegistryLogin::Password(user, password)) => {
                Some(credentials::basic(&user, &password))
            }
            Some(RegistryLogin::Token(token)) => Some(bearer(&token)),
            Some(RegistryLogin::Identity(_)) | None => None,
        })
    }

    /// The error for a registry that does not let us.
    pub fn refused(&self, repository: &str, access: RegistryAccess, reason: &str) -> Error {
        let what = match access {
            RegistryAccess::Pull => "read from",
            RegistryAccess::Push => "write to",
        };
        let has_login = matches!(self.known.login.get(), Some(Ok(Some(_))));
        err!(Auth, "cannot {what} `oci://{}/{repository}`: {reason}", self.host)
            .help(self.advice(has_login))
    }

    pub fn advice(&self, has_login: bool) -> String {
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

pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

// Tokens for a registry, from the server that it names and that belongs to it.

/// The largest answer of a server of tokens.
const TOKEN_BYTES: u64 = 1024 * 1024;

/// The answer of a server of tokens.
#[derive(Deserialize)]
struct TokenAnswer {
    token: Option<String>,
    access_token: Option<String>,
}

impl RegistryClient<'_> {
    /// Refuses a server of tokens that does not belong to the registry.
    pub fn checked_realm(&self, text: &str) -> Result<Url> {
        let stranger = |reason: &str| {
            let shown = text.split(['?', '#']).next().unwrap_or_default().escape_debug();
            err!(
                Auth,
                "`{}` wants logins to be sent to `{shown}`, which is refused: {reason}",
                self.host
            )
            .help("no login was sent; tell those who run the registry")
        };
        let url = Url::parse(text).map_err(|error| stranger(&error.to_string()))?;
        check(&self.host, &url).map_err(|reason| stranger(&reason))?;
        Ok(url)
    }

    /// Gets a token, and keeps it for what it was needed for.
    pub fn token(
        &self,
        realm: &Url,
        service: Option<&str>,
        asked: &str,
        scope: &str,
    ) -> Result<HiddenText> {
        let login = self.login()?;
        if let Some(RegistryLogin::Token(token)) = &login {
            let token = bearer(token);
            locked(&self.known.tokens).insert(scope.to_owned(), token.clone());
            return Ok(token);
        }
        let base = self.known.base.get_or_init(|| self.find_base()).clone()?;
        let answer = match &login {
            Some(RegistryLogin::Identity(token)) => {
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
                if let Some(RegistryLogin::Password(user, password)) = &login {
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
        let token = bearer(&HiddenText::new(token));
        locked(&self.known.tokens).insert(scope.to_owned(), token.clone());
        Ok(token)
    }
}

/// A token as a header sends it.
pub fn bearer(token: &HiddenText) -> HiddenText {
    HiddenText::new(format!("Bearer {}", token.reveal()))
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

// Where the login of a registry may go: to the registry, and to a server of tokens that the registry
// itself names and that belongs to it.
//
// A server belongs to a registry when it has the same name, when both lie in the same domain, or
// when the table says so. There is no list of public suffixes here, so the domain of a registry is
// its name without the first part, or all of a name that has two parts. Where what remains looks
// like a suffix for everybody (`co.uk`), and for addresses, only the same name counts.

/// Registries whose tokens come from another domain, or that have several names.
const TABLE: [(&str, &str); 3] = [
    ("docker.io", "auth.docker.io"),
    ("index.docker.io", "auth.docker.io"),
    ("registry-1.docker.io", "auth.docker.io"),
];

/// Checks that logins for a registry may be sent to this address.
pub fn check(registry: &str, realm: &Url) -> Result<(), String> {
    let own = host::without_port(registry).trim_end_matches('.').to_ascii_lowercase();
    let other = realm.host();
    let both_are_here = host::is_loopback(&own) && host::is_loopback(other);
    if !realm.is_secure() && !both_are_here {
        return Err("logins are sent over https only".to_owned());
    }
    let is_listed = TABLE.iter().any(|(registry, realm)| own == *registry && other == *realm);
    let is_same_domain = domain(&own).is_some_and(|domain| {
        other == domain || other.strip_suffix(domain).is_some_and(|start| start.ends_with('.'))
    });
    if own == other || both_are_here || is_listed || is_same_domain {
        return Ok(());
    }
    Err(format!("`{other}` does not belong to `{own}`"))
}

/// The domain that a host shares with others of the same owner; none when that is not certain.
fn domain(host: &str) -> Option<&str> {
    if host.starts_with('[') || host.parse::<IpAddr>().is_ok() {
        return None;
    }
    let parts = host.split('.').count();
    let domain = match parts {
        0 | 1 => return None,
        2 => host,
        _ => host.split_once('.')?.1,
    };
    let (second, first) = domain.rsplit_once('.')?;
    // `co.uk`, `com.au`, `ac.jp`: everybody can have a name there.
    let is_everybodys = !second.contains('.') && second.len() <= 3 && first.len() == 2;
    (!is_everybodys || parts == 2).then_some(domain)
}

// What a registry answers when it wants to know who asks (`WWW-Authenticate`).

/// The longest answer that is read.
const HEADER_BYTES: usize = 16 * 1024;

/// How a registry wants to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Challenge {
    /// With a token, which somebody else gives out.
    Bearer {
        /// Where tokens are given out.
        realm: String,
        /// Whom the token is for.
        service: Option<String>,
        /// What the token allows.
        scope: Option<String>,
        /// What was wrong with the last token.
        error: Option<String>,
    },
    /// With a name and a password.
    Basic,
}

/// The first way to ask that is known; a token comes before a password.
pub fn parse<'a>(headers: impl IntoIterator<Item = &'a str>) -> Option<Challenge> {
    let mut has_basic = false;
    for header in headers.into_iter().filter(|header| header.len() <= HEADER_BYTES) {
        for (scheme, parameters) in challenges(header) {
            let value = |key: &str| {
                let found = parameters.iter().find(|(known, _)| known.eq_ignore_ascii_case(key));
                found.map(|(_, value)| value.clone())
            };
            if scheme.eq_ignore_ascii_case("basic") {
                has_basic = true;
            }
            if scheme.eq_ignore_ascii_case("bearer")
                && let Some(realm) = value("realm").filter(|realm| !realm.is_empty())
            {
                return Some(Challenge::Bearer {
                    realm,
                    service: value("service"),
                    scope: value("scope"),
                    error: value("error"),
                });
            }
        }
    }
    has_basic.then_some(Challenge::Basic)
}

/// A scheme and its parameters.
type SchemeParameters = (String, Vec<(String, String)>);

/// Reads `Scheme key=value, key="value", Scheme …`. Anything else is passed over.
fn challenges(header: &str) -> Vec<SchemeParameters> {
    let mut found: Vec<SchemeParameters> = Vec::new();
    let mut rest = header;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if rest.is_empty() {
            return found;
        }
        let (word, after) = token(rest);
        if word.is_empty() {
            // Pass over what is not a word.
            let mut characters = rest.chars();
            characters.next();
            rest = characters.as_str();
            continue;
        }
        match after.trim_start_matches([' ', '\t']).strip_prefix('=') {
            Some(value) => {
                let (value, after) = text(value.trim_start_matches([' ', '\t']));
                if let Some((_, parameters)) = found.last_mut() {
                    parameters.push((word.to_owned(), value));
                }
                rest = after;
            }
            None => {
                found.push((word.to_owned(), Vec::new()));
                rest = after;
            }
        }
    }
}

fn token(rest: &str) -> (&str, &str) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    rest.split_at(rest.find(|c| !is_part(c)).unwrap_or(rest.len()))
}

/// A value, with or without quotes, and what follows.
fn text(rest: &str) -> (String, &str) {
    let Some(quoted) = rest.strip_prefix('"') else {
        let end = rest.find([',', ' ', '\t']).unwrap_or(rest.len());
        return (rest[..end].to_owned(), &rest[end..]);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return (value, &quoted[at + 1..]),
            '\\' => value.extend(characters.next().map(|(_, c)| c)),
            _ => value.push(c),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::fetch::http::{NetworkAccess, Unwatched};

    #[test]
    fn a_login_crosses_a_network_only_in_secret() {
        let environment = Environment::default();
        let access = NetworkAccess { offline: false, insecure: true };
        let http = Http::new(&environment, access, Box::new(Unwatched));
        for (base, may) in [
            ("https://registry.example/v2/", true),
            ("http://127.0.0.1:5000/v2/", true),
            ("http://localhost:5000/v2/", true),
            ("http://registry.example/v2/", false),
            ("http://10.0.0.1:5000/v2/", false),
        ] {
            let known = Arc::new(KnownRegistry::default());
            known.base.set(Ok(Url::parse(base).unwrap())).unwrap();
            let client = RegistryClient::new(&http, &environment, "registry.example", known);
            let refusal = client.refuse_plain("pdf", RegistryAccess::Pull);
            assert_eq!(refusal.is_ok(), may, "{base}");
        }
    }

    /// An answer that asks for a password.
    struct AsksForPassword;

    impl MaybeRefusal for AsksForPassword {
        fn challenges(&self) -> Vec<&str> {
            vec!["Basic realm=\"x\""]
        }
    }

    #[test]
    fn no_request_with_a_login_leaves_in_plain_http() {
        let login = ("SKILLS_REGISTRY_TOKEN".into(), "registry.example=me:s3cret".into());
        let environment = Environment::new("/".into(), [login]);
        let access = NetworkAccess { offline: false, insecure: true };
        let http = Http::new(&environment, access, Box::new(Unwatched));
        // It is refused as soon as there is a login to send: after the question, or at once.
        for (wanted, expected) in [(None, 1), (Some(WantedLogin::Basic), 0)] {
            let known = Arc::new(KnownRegistry::default());
            known.base.set(Ok(Url::parse("http://registry.example/v2/").unwrap())).unwrap();
            *locked(&known.wanted) = wanted;
            let client = RegistryClient::new(&http, &environment, "registry.example", known);
            let request = HttpRequest::get(client.url("pdf", "manifests/1").unwrap());
            let mut sent = 0;
            let result = client.exchange("pdf", RegistryAccess::Pull, &request, &mut |_| {
                sent += 1;
                Ok((true, AsksForPassword))
            });
            let message = result.map(drop).unwrap_err().to_string();
            assert!(message.contains("over https only"), "{message}");
            assert_eq!(sent, expected);
        }
    }
}

#[cfg(test)]
mod realm_tests {
    use super::*;

    fn check(host: &str, realm: &str) -> Result<(), String> {
        super::check(host, &Url::parse(realm).map_err(|error| error.to_string())?)
    }

    #[test]
    fn logins_stay_with_the_registry() {
        for (host, realm) in [
            ("ghcr.io", "https://ghcr.io/token"),
            ("registry.gitlab.com", "https://gitlab.com/jwt/auth"),
            ("registry.team.example.com", "https://auth.team.example.com/token"),
            ("quay.io", "https://auth.quay.io/token?x=y"),
            ("docker.io", "https://auth.docker.io/token"),
            ("registry-1.docker.io", "https://auth.docker.io/token"),
            ("Registry.Example.com:5000", "https://registry.example.com/token"),
            ("10.0.0.5:5000", "https://10.0.0.5:5001/token"),
            ("registry", "https://registry:5001/token"),
            ("127.0.0.1:5000", "http://127.0.0.1:5001/token"),
            ("localhost:5000", "http://[::1]:5001/token"),
        ] {
            assert_eq!(check(host, realm), Ok(()), "{host} {realm}");
        }
        for (host, realm) in [
            ("ghcr.io", "https://evil.example/token"),
            ("ghcr.io", "http://ghcr.io/token"),
            ("ghcr.io", "https://ghcr.io.evil.example/token"),
            ("ghcr.io", "https://evilghcr.io/token"),
            ("ghcr.io", "https://ghcr.io@evil.example/token"),
            ("ghcr.io", "https://evil.example\\.ghcr.io/"),
            ("registry.co.uk", "https://other.co.uk/token"),
            ("team.com.au", "https://evil.com.au/token"),
            ("10.0.0.5", "https://10.0.0.6/token"),
            ("10.0.0.5", "https://0.0.5/token"),
            ("registry", "https://other/token"),
            ("registry.example.com", "http://127.0.0.1/token"),
            ("127.0.0.1:5000", "http://registry.example.com/token"),
            ("127.0.0.1:5000", "https://registry.example.com/token"),
            ("docker.io", "https://auth.docker.com/token"),
            ("ghcr.io", "file:///etc/passwd"),
            ("ghcr.io", "ghcr.io/token"),
            ("ghcr.io", "https:///token"),
            ("ghcr.io", "https://ghcr.io/to ken"),
        ] {
            assert!(check(host, realm).is_err(), "{host} {realm}");
        }
    }
}

#[cfg(test)]
mod challenge_tests {
    use proptest::prelude::*;

    use super::*;

    fn bearer(realm: &str, service: Option<&str>, scope: Option<&str>) -> Option<Challenge> {
        Some(Challenge::Bearer {
            realm: realm.to_owned(),
            service: service.map(str::to_owned),
            scope: scope.map(str::to_owned),
            error: None,
        })
    }

    #[test]
    fn the_ways_that_registries_ask() {
        let docker = "Bearer realm=\"https://auth.example/token\",service=\"registry.example\",\
                      scope=\"repository:team/pdf:pull,push\"";
        let scope = Some("repository:team/pdf:pull,push");
        let expected = bearer("https://auth.example/token", Some("registry.example"), scope);
        assert_eq!(parse([docker]), expected);
        let basic = "Basic realm=\"Registry Realm\"";
        assert_eq!(parse([basic]), Some(Challenge::Basic));
        assert_eq!(parse([basic, docker]), expected);
        assert_eq!(parse([format!("{basic}, {docker}").as_str()]), expected);
        assert_eq!(
            parse(["bearer realm=https://a/t , service = b"]),
            bearer("https://a/t", Some("b"), None)
        );
        assert_eq!(parse(["Bearer realm=\"a\\\"b\""]), bearer("a\"b", None, None));
        for other in
            ["", "Negotiate", "Bearer", "Bearer realm=\"\"", "realm=\"x\"", "\"", ",,,", "é"]
        {
            assert_eq!(parse([other]), None, "{other}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_answer_is_read_without_a_crash(text in "\\PC{0,200}") {
            let _ = parse([text.as_str(), "Basic"]);
        }
    }
}
