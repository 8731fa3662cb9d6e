//! Logins for registries: where they come from, and where they may go.

use std::sync::Arc;

use serde_json::json;

use crate::harness::{Run, Sandbox};
use crate::registry_server::*;

use crate::server::{Reply, Server};

const LOGIN: &str = "reader:s3cret";
const LOGIN_BASE64: &str = "cmVhZGVyOnMzY3JldA==";

fn with_login(sandbox: &Sandbox, registry: &Registry, args: &[&str]) -> Run {
    let token = format!("{}={LOGIN}", registry.server.host());
    let run = sandbox.run_with(args.iter().copied().chain(["-vvv"]), |command| {
        command.env("SKILLS_REGISTRY_TOKEN", token);
    });
    for secret in ["s3cret", LOGIN_BASE64, "t0ken"] {
        assert!(!run.all().contains(secret), "a secret was shown: {}", run.all());
    }
    run
}

#[test]
fn a_token_is_asked_for_where_the_registry_says() {
    let fault: Fault = Box::new(|asked, reply| {
        let host = asked.header("host").unwrap_or_default();
        if asked.path == "/token" {
            let is_known = asked.header("authorization") == Some(&format!("Basic {LOGIN_BASE64}"));
            return match is_known {
                true => Reply::ok("{\"token\": \"t0ken\"}"),
                false => Reply::status(401),
            };
        }
        if asked.header("authorization") == Some("Bearer t0ken") {
            return reply;
        }
        let wanted = format!("Bearer realm=\"http://{host}/token\",service=\"me\"");
        Reply::status(401).header("WWW-Authenticate", wanted)
    });
    let (sandbox, registry) = (skills(), Registry::with(fault));
    let to = registry.at("pdf");
    let anonymous = sandbox.run(["push", "skills/pdf", &to]);
    assert_eq!(anonymous.code, 2, "{}", anonymous.all());
    assert!(anonymous.stderr.contains("docker login"), "{}", anonymous.stderr);
    works(&with_login(&sandbox, &registry, &["push", "skills/pdf", &to]));
    let tokens = registry.server.asked_for("/token");
    assert!(tokens <= 3, "{tokens} tokens were asked for");
    let run = with_login(&sandbox, &registry, &["install", &to, "--dir", "out"]);
    works(&run);
    assert!(!sandbox.read("out/.skills-index.json").contains("s3cret"));
    let scopes: Vec<_> =
        registry.server.asked().into_iter().filter(|one| one.path == "/token").collect();
    let scope = scopes.last().unwrap().query("scope").unwrap().to_owned();
    assert!(scope.contains("repository:pdf:pull"), "{scope}");
}

#[test]
fn an_identity_token_is_exchanged_and_not_carried_elsewhere() {
    let stranger = Server::start(|_| Reply::ok("{\"token\": \"t0ken\"}"));
    let elsewhere = stranger.url("/token");
    for leads_away in [false, true] {
        let elsewhere = elsewhere.clone();
        let fault: Fault = Box::new(move |asked, reply| {
            if asked.path == "/token" {
                let body = String::from_utf8_lossy(&asked.body);
                let is_known = body.contains("grant_type=refresh_token")
                    && body.contains("refresh_token=s3cret")
                    && body.contains("scope=repository%3Apdf%3Apull%2Cpush");
                return match (asked.method.as_str(), is_known, leads_away) {
                    ("POST", true, false) => Reply::ok("{\"access_token\": \"t0ken\"}"),
                    ("POST", true, true) => {
                        Reply::status(307).header("Location", elsewhere.clone())
                    }
                    _ => Reply::status(400),
                };
            }
            if asked.header("authorization") == Some("Bearer t0ken") {
                return reply;
            }
            let host = asked.header("host").unwrap_or_default();
            let wanted = format!("Bearer realm=\"http://{host}/token\"");
            Reply::status(401).header("WWW-Authenticate", wanted)
        });
        let (sandbox, registry) = (skills(), Registry::with(fault));
        let config = json!({"auths": {registry.server.host(): {"identitytoken": "s3cret"}}});
        sandbox.write("../home/.docker/config.json", config.to_string());
        let run = sandbox.run(["push", "skills/pdf", &registry.at("pdf"), "-vvv"]);
        assert_eq!(run.code, if leads_away { 2 } else { 0 }, "{}", run.all());
        assert!(!run.all().contains("s3cret"), "{}", run.all());
    }
    assert!(stranger.asked().is_empty());
}

#[test]
fn a_login_stays_at_its_port_when_the_registry_leads_to_another() {
    let stranger = Arc::new(Server::start(|asked| match asked.header("authorization") {
        Some(_) => Reply::ok("{}"),
        None => Reply::status(401).header("WWW-Authenticate", "Basic realm=\"x\""),
    }));
    let elsewhere = stranger.url("/v2/");
    let registry = Registry::with(Box::new(move |_, _| Reply::redirect(elsewhere.clone())));
    let run = with_login(&skills(), &registry, &["list", &registry.at("pdf")]);
    assert_eq!(run.code, 2, "{}", run.all());
    let asked = stranger.asked();
    assert!(!asked.is_empty(), "it was led there");
    assert!(asked.iter().all(|asked| asked.header("authorization").is_none()));
}

#[test]
fn a_login_does_not_go_along_with_an_upload_to_another_server() {
    let stranger = Arc::new(Server::start(|_| Reply::status(201)));
    let elsewhere = stranger.url("/upload?of=a");
    let registry = Registry::with(Box::new(move |asked, reply| {
        if asked.header("authorization") != Some(&format!("Basic {LOGIN_BASE64}")) {
            return Reply::status(401).header("WWW-Authenticate", "Basic realm=\"x\"");
        }
        match asked.method.as_str() {
            "POST" => Reply::status(202).header("Location", elsewhere.clone()),
            _ => reply,
        }
    }));
    works(&with_login(&skills(), &registry, &["push", "skills/pdf", &registry.at("pdf")]));
    let asked = stranger.asked();
    assert!(asked.iter().any(|asked| !asked.body.is_empty()), "nothing was sent there");
    assert!(asked.iter().all(|asked| asked.header("authorization").is_none()));
    // After the first refusal, the login is sent without being asked for.
    let own = registry.server.asked();
    let without = own.iter().filter(|asked| asked.header("authorization").is_none()).count();
    assert!(without <= 2 && own.len() > 6, "{without} of {} requests were refused", own.len());
}

#[test]
fn a_login_never_goes_to_a_stranger() {
    let stranger = Arc::new(Server::start(|_| Reply::ok("{\"token\": \"t0ken\"}")));
    for realm in [
        "https://evil.example/token".to_owned(),
        "http://registry.example/token".to_owned(),
        format!("http://user@{}/token", stranger.host()),
        "file:///etc/passwd".to_owned(),
    ] {
        let wanted = format!("Bearer realm=\"{realm}\"");
        let fault: Fault =
            Box::new(move |_, _| Reply::status(401).header("WWW-Authenticate", wanted.clone()));
        let (sandbox, registry) = (skills(), Registry::with(fault));
        let run =
            with_login(&sandbox, &registry, &["install", &registry.at("pdf"), "--dir", "out"]);
        refused(&sandbox, &run, &["which is refused", "no login was sent"]);
        assert_eq!(run.code, 2, "{}", run.all());
    }
    assert!(stranger.asked().is_empty());
}

#[test]
fn a_registry_that_asks_again_and_again_is_left() {
    for wanted in ["Basic realm=\"x\"", "Bearer realm=\"http://HOST/token\"", "Negotiate", ""] {
        let fault: Fault = Box::new(move |asked, _| {
            if asked.path == "/token" {
                return Reply::ok("{\"token\": \"t0ken\"}");
            }
            let host = asked.header("host").unwrap_or_default();
            Reply::status(401).header("WWW-Authenticate", wanted.replace("HOST", host))
        });
        let (sandbox, registry) = (skills(), Registry::with(fault));
        let run =
            with_login(&sandbox, &registry, &["install", &registry.at("pdf"), "--dir", "out"]);
        refused(&sandbox, &run, &["cannot read from"]);
        assert!(registry.server.asked().len() < 8, "{wanted}");
    }
}

#[test]
fn a_login_that_is_refused_later_is_not_sent_again() {
    let login = format!("Basic {LOGIN_BASE64}");
    let own = login.clone();
    let fault: Fault = Box::new(move |asked, reply| {
        // It may read the manifest, but not the files.
        let is_file = asked.method == "GET" && asked.path.contains("/blobs/");
        match asked.header("authorization") == Some(&own) && !is_file {
            true => reply,
            false => Reply::status(401).header("WWW-Authenticate", "Basic realm=\"x\""),
        }
    });
    let (sandbox, registry) = (skills(), Registry::with(fault));
    let to = registry.at("pdf");
    works(&with_login(&sandbox, &registry, &["push", "skills/pdf", &to]));
    let run = with_login(&sandbox, &registry, &["install", &to, "--dir", "out"]);
    refused(&sandbox, &run, &["it does not accept the login"]);
    assert_eq!(registry.asked("GET", "/blobs/"), 1);
}

#[test]
fn a_token_for_the_registry_is_sent_as_it_is() {
    for wanted in ["Basic realm=\"x\"", "Bearer realm=\"http://HOST/token\""] {
        let fault: Fault = Box::new(move |asked, reply| {
            let host = asked.header("host").unwrap_or_default();
            match asked.header("authorization") {
                Some("Bearer t0ken") => reply,
                _ => Reply::status(401).header("WWW-Authenticate", wanted.replace("HOST", host)),
            }
        });
        let (sandbox, registry) = (skills(), Registry::with(fault));
        let config = json!({"auths": {registry.server.host(): {"registrytoken": "t0ken"}}});
        sandbox.write("../home/.docker/config.json", config.to_string());
        let run = sandbox.run(["push", "skills/pdf", &registry.at("pdf"), "-vvv"]);
        works(&run);
        assert!(!run.all().contains("t0ken"), "{}", run.all());
        assert_eq!(registry.server.asked_for("/token"), 0, "it is not exchanged");
    }
}

#[test]
fn a_registry_that_wants_tls_is_not_asked_again_in_the_open() {
    let server = Server::start(|_| Reply::status(400));
    let sandbox = Sandbox::new();
    let source = format!("oci://{}/pdf", server.host());
    let run = sandbox.run_with(["list", &source], |command| {
        command.env("SKILLS_TEST_PATIENCE_MS", "500");
    });
    assert_eq!(run.code, 2, "{}", run.all());
    let asked: Vec<String> = server.asked().into_iter().map(|asked| asked.path).collect();
    assert_eq!(asked, ["/v2/"], "{}", run.all());
}

#[test]
#[cfg(unix)]
fn a_helper_is_asked_for_its_host_and_stopped_when_it_talks_too_much() {
    let fault: Fault = Box::new(|asked, reply| {
        let is_known = asked.header("authorization") == Some(&format!("Basic {LOGIN_BASE64}"));
        let refusal = Reply::status(401).header("WWW-Authenticate", "Basic realm=\"x\"");
        if is_known { reply } else { refusal }
    });
    let (sandbox, registry) = (skills(), Registry::with(fault));
    let host = registry.server.host();
    let config = json!({"credHelpers": {host.clone(): "test"}});
    sandbox.write("../home/.docker/config.json", config.to_string());
    let push = |script: &str| {
        sandbox.program("bin/docker-credential-test", format!("#!/bin/sh\n{script}\n"));
        let path = format!("{}:{}", sandbox.path("bin").display(), std::env::var("PATH").unwrap());
        let to = registry.at("pdf");
        let run = sandbox.run_with(["push", "skills/pdf", &to, "--force"], |command| {
            command.env("PATH", path);
        });
        assert!(!run.all().contains("s3cret"), "{}", run.all());
        run
    };
    let good = "read -r host; echo \"$host\" > asked; \
                echo '{\"ServerURL\":\"x\",\"Username\":\"reader\",\"Secret\":\"s3cret\"}'";
    works(&push(good));
    assert_eq!(sandbox.read("asked"), format!("{host}\n"));
    for (script, words) in [
        ("echo 's3cret: credentials not found in native keychain'; exit 1", "docker login"),
        ("echo s3cret; exit 1", "it failed"),
        ("echo s3cret", "its answer is not valid"),
        ("yes s3cret", "its answer is too long"),
    ] {
        let run = push(script);
        assert_eq!(run.code, 2, "{script}: {}", run.all());
        assert!(run.stderr.contains(words), "{script}: {}", run.stderr);
    }
    let config = json!({"credsStore": "../evil"});
    sandbox.write("../home/.docker/config.json", config.to_string());
    let run = push(good);
    assert!(run.stderr.contains("is not the name of a credential helper"), "{}", run.stderr);
}

#[test]
#[cfg(unix)]
fn sources_of_one_registry_share_its_login() {
    let fault: Fault = Box::new(|asked, reply| {
        let is_known = asked.header("authorization") == Some(&format!("Basic {LOGIN_BASE64}"));
        let refusal = Reply::status(401).header("WWW-Authenticate", "Basic realm=\"x\"");
        if is_known { reply } else { refusal }
    });
    let (sandbox, registry) = (skills(), Registry::with(fault));
    let config = json!({"credHelpers": {registry.server.host(): "test"}});
    sandbox.write("../home/.docker/config.json", config.to_string());
    let answer = "{\"ServerURL\":\"x\",\"Username\":\"reader\",\"Secret\":\"s3cret\"}";
    let script = format!("#!/bin/sh\necho asked >> asked\necho '{answer}'\n");
    sandbox.program("bin/docker-credential-test", script);
    let path = format!("{}:{}", sandbox.path("bin").display(), std::env::var("PATH").unwrap());
    let run = |args: &[&str]| {
        let run = sandbox.run_with(args, |command| {
            command.env("PATH", &path);
        });
        works(&run);
    };
    let places = ["pdf", "csv"].map(|name| registry.at(name));
    run(&["push", "skills/pdf", &places[0]]);
    run(&["push", "skills/csv", &places[1]]);
    let before = sandbox.read("asked").lines().count();
    // Both ask at the same time, and neither is refused because the other was asked for a login.
    run(&["install", &places[0], &places[1], "--dir", "out"]);
    assert_eq!(sandbox.read("asked").lines().count(), before + 1);
    assert!(sandbox.path("out/pdf").exists() && sandbox.path("out/csv").exists());
}
