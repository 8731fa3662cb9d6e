//! What a caller asks of a server.

use std::fmt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use super::engine::ExchangeBody;
use super::response::HttpResponse;
use super::url::Url;
use crate::skills::model::error::{Error, Result};

/// The methods that are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpMethod {
    /// Reads.
    Get,
    /// Reads without the body.
    Head,
    /// Begins something.
    Post,
    /// Writes a whole thing.
    Put,
    /// Writes a part.
    Patch,
}

impl HttpMethod {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
        }
    }

    /// Whether doing it twice is like doing it once.
    pub(super) const fn may_be_repeated(self) -> bool {
        !matches!(self, Self::Post | Self::Patch)
    }
}

/// What is sent along.
#[derive(Clone, Copy)]
pub enum UploadBody<'a> {
    Nothing,
    /// These bytes.
    Bytes(&'a [u8]),
    /// A part of a file: where it begins, and its length.
    Part(&'a File, u64, u64),
}

/// A request. The values of its headers are never shown.
#[derive(Clone)]
pub struct HttpRequest<'a> {
    method: HttpMethod,
    url: Url,
    headers: Vec<(String, String)>,
    authorization: Option<String>,
    origin: Option<Url>,
    body: UploadBody<'a>,
    stays: bool,
}

impl fmt::Debug for HttpRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("HttpRequest")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("headers", &names)
            .finish_non_exhaustive()
    }
}

impl<'a> HttpRequest<'a> {
    /// A request without headers and body.
    pub const fn new(method: HttpMethod, url: Url) -> Self {
        Self {
            method,
            url,
            headers: Vec::new(),
            authorization: None,
            origin: None,
            body: UploadBody::Nothing,
            stays: false,
        }
    }

    /// Asks for what is at an address.
    pub const fn get(url: Url) -> Self {
        Self::new(HttpMethod::Get, url)
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_ascii_lowercase(), value.into()));
        self
    }

    /// Adds credentials, for the host of this request alone: a redirect to another does not take
    /// them along.
    pub fn authorization(mut self, value: impl Into<String>) -> Self {
        self.authorization = Some(value.into());
        self
    }

    /// Says who named this address, if no user did: an index, a manifest, an answer. It is then
    /// checked as a redirect from there would be.
    pub fn named_by(mut self, origin: &Url) -> Self {
        self.origin = Some(origin.clone());
        self
    }

    /// Follows no redirect, because the body is a secret of this host.
    pub const fn without_redirects(mut self) -> Self {
        self.stays = true;
        self
    }

    /// Adds a body.
    pub fn body(mut self, body: UploadBody<'a>) -> Self {
        self.body = body;
        self
    }

    /// Where it goes.
    pub const fn url(&self) -> &Url {
        &self.url
    }

    pub(super) const fn method(&self) -> HttpMethod {
        self.method
    }

    pub(super) const fn origin(&self) -> Option<&Url> {
        self.origin.as_ref()
    }

    /// The headers for an address that redirects led to.
    pub(super) fn headers_for(&self, url: &Url) -> Vec<(String, String)> {
        let mut headers = self.headers.clone();
        if url.has_same_origin(&self.url) {
            let value = self.authorization.clone();
            headers.extend(value.map(|value| ("authorization".to_owned(), value)));
        } else {
            headers.retain(|(name, _)| !matches!(name.as_str(), "authorization" | "cookie"));
        }
        headers
    }

    /// Where an answer says to go instead, if that is for this request to follow.
    pub(super) fn redirect(&self, answer: &HttpResponse<'_>) -> Option<String> {
        let reads = matches!(self.method, HttpMethod::Get | HttpMethod::Head);
        let is_redirect = match answer.status() {
            301..=303 => reads,
            // These say that the body goes along.
            307 | 308 => true,
            _ => false,
        };
        answer.header("location").filter(|_| is_redirect && !self.stays).map(str::to_owned)
    }

    pub(super) fn exchange_body(&self) -> Result<ExchangeBody<'a>> {
        Ok(match self.body {
            UploadBody::Nothing
                if matches!(
                    self.method,
                    HttpMethod::Post | HttpMethod::Put | HttpMethod::Patch
                ) =>
            {
                ExchangeBody::Bytes(&[])
            }
            UploadBody::Nothing => ExchangeBody::Nothing,
            UploadBody::Bytes(bytes) => ExchangeBody::Bytes(bytes),
            UploadBody::Part(mut file, start, length) => {
                file.seek(SeekFrom::Start(start))
                    .map_err(|error| Error::io("read", self.url.to_string(), &error))?;
                ExchangeBody::Part(file.take(length))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_stay_with_their_host_and_are_not_shown() {
        let url = Url::parse("https://h/a").unwrap();
        let request = HttpRequest::get(url.clone())
            .header("Accept", "x")
            .header("Cookie", "s3cret")
            .authorization("Bearer s3cret");
        assert!(!format!("{request:?}").contains("s3cret"));
        assert_eq!(request.headers_for(&url.join("/b").unwrap()).len(), 3);
        for other in ["https://other/", "https://h:8443/", "http://h/", "https://a.h/"] {
            let headers = request.headers_for(&Url::parse(other).unwrap());
            assert_eq!(headers, [("accept".to_owned(), "x".to_owned())], "{other}");
        }
    }
}
