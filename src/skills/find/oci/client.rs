//! Talks to one registry: finds out how it is reached and who may ask, and sends requests with the
//! login it wants. A login goes to the registry itself, and to a server of tokens that belongs to it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::challenge::{self, Challenge};
use super::credentials::{self, HiddenText, RegistryLogin};
use super::tokens::bearer;
use crate::skills::find::http::{Http, HttpRequest, HttpResponse, Url};
use crate::skills::model::address::host::is_loopback;
use crate::skills::model::environment::Environment;
use crate::skills::model::error::{Error, Result, err};

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
    pub(super) http: &'n Http,
    environment: &'n Environment,
    /// As the user wrote it.
    pub(super) host: String,
    pub(super) known: Arc<KnownRegistry>,
}

/// What a run has learnt about a registry. All its sources there share it, so that a registry is asked
/// for a token once, and a credential helper for the login.
#[derive(Debug, Default)]
pub struct KnownRegistry {
    pub(super) base: OnceLock<Result<Url>>,
    login: OnceLock<Result<Option<RegistryLogin>>>,
    /// How it wants to be asked, once it said so.
    wanted: Mutex<Option<WantedLogin>>,
    /// Tokens by what they allow.
    pub(super) tokens: Mutex<HashMap<String, HiddenText>>,
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
    pub(super) fn find_base(&self) -> Result<Url> {
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
        let Some(challenge) = challenge::parse(answer.challenges()) else {
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

    pub(super) fn login(&self) -> Result<Option<RegistryLogin>> {
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

    pub(super) fn advice(&self, has_login: bool) -> String {
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

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::find::http::{NetworkAccess, Unwatched};

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
