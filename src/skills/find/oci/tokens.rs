//! Tokens for a registry, from the server that it names and that belongs to it.

use serde::Deserialize;

use super::client::{RegistryClient, locked};
use super::credentials::{self, HiddenText, RegistryLogin};
use super::realm;
use crate::skills::find::http::{HttpMethod, HttpRequest, UploadBody, Url};
use crate::skills::model::error::{Error, ErrorKind, Result, err};

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
    pub(super) fn checked_realm(&self, text: &str) -> Result<Url> {
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
        realm::check(&self.host, &url).map_err(|reason| stranger(&reason))?;
        Ok(url)
    }

    /// Gets a token, and keeps it for what it was needed for.
    pub(super) fn token(
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
pub(super) fn bearer(token: &HiddenText) -> HiddenText {
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
