//! Data from servers, caches and addresses is checked before git or a user gets it.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::git::cached;
use crate::git_hostile::serve;
use crate::harness::{Sandbox, good_text};
use crate::lock::replace;
use crate::origin::Origin;
#[cfg(unix)]
use crate::origin::run_with_git;
use crate::skips::skip;

/// A server with the oldest protocol that lists these names for one commit.
fn naming(names: &'static [&'static str]) -> u16 {
    serve(|stream| {
        let _ = stream.read(&mut [0; 4096]);
        let mut answer = String::new();
        for (number, name) in names.iter().enumerate() {
            let abilities = if number == 0 { "\0side-band-64k ofs-delta" } else { "" };
            let line = format!("{} {name}{abilities}\n", "1".repeat(40));
            answer += &format!("{:04x}{line}", line.len() + 4);
        }
        let _ = stream.write_all((answer + "0000").as_bytes());
    })
}

#[cfg(unix)]
#[test]
fn a_name_of_a_server_becomes_no_option_of_git() {
    let sandbox = Sandbox::new();
    if Origin::empty(&sandbox, "x").is_none() {
        return;
    }
    let script = "printf '%s\\n' \"$@\" >> ~/told\nexec git \"$@\"";
    let port = naming(&["HEAD", "refs/heads/main", "refs/heads/zz\n--upload-pack=/x\tHEAD"]);
    for revision in ["", "@HEAD", "@main", "@zz", "@1111"] {
        let source = format!("git+git://127.0.0.1:{port}/r.git{revision}");
        let run = run_with_git(&sandbox, script, &["list", &source]);
        assert_eq!(run.code, 1, "{revision}: {}", run.stderr);
        assert!(run.stderr.contains("does not answer with a list of commits"), "{}", run.stderr);
    }
    let told = sandbox.read("../home/told");
    assert!(told.contains("ls-remote") && !told.contains("upload-pack"), "{told}");
    // An invalid name is skipped; the others are there.
    let port = naming(&["refs/heads/main", "refs/heads/-x", "refs/heads/a b", "refs/tags/v1.lock"]);
    let run = run_with_git(
        &sandbox,
        script,
        &["list", &format!("git+git://127.0.0.1:{port}/r.git@nowhere")],
    );
    assert!(run.stderr.contains("help: it has main\n"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn everything_from_outside_stands_behind_the_options() {
    let sandbox = Sandbox::new();
    let Some(origin) = crate::lock::project(&sandbox) else { return };
    // One line for each run of git.
    let script = "(printf '%s ' \"$@\"; echo) >> ~/told\nexec git \"$@\"";
    let old = origin.git(&["rev-parse", "v1"]);
    origin.write("skills/pdf/more.md", "more\n");
    let new = origin.commit("More");
    let source = origin.source(&format!("@{}", &old[..8]));
    assert_eq!(run_with_git(&sandbox, script, &["list", &source]).code, 0);
    assert_eq!(run_with_git(&sandbox, script, &["list", &origin.source("")]).code, 0);
    assert!(run_with_git(&sandbox, script, &["outdated"]).code <= 1);
    let told = sandbox.read("../home/told");
    for command in ["fetch", "ls-remote", "rev-parse", "log", "merge-base"] {
        assert!(told.contains(&format!(" {command} ")), "{command}: {told}");
    }
    let outside = [origin.path.to_str().unwrap(), &old[..8], &new];
    for line in told.lines() {
        // Settings come first, and the address is one of them.
        let (_, rest) = line.rsplit_once(" -c ").unwrap_or(("", line));
        let rest = rest.split_once(' ').map_or("", |(_, rest)| rest);
        let options = rest.split(" -- ").next().unwrap_or_default();
        let options = options.split(" --end-of-options ").next().unwrap_or_default();
        assert!(!outside.iter().any(|word| options.contains(word)), "{line}");
    }
}

#[test]
fn a_secret_in_an_address_is_refused_and_not_repeated() {
    let sandbox = Sandbox::new();
    let secret = "s3cret";
    for source in [
        "git+https://h.example/r.git?token=s3cret",
        "git+https://h.example/r.git@v1?token=s3cret",
        "git+https://h.example/r.git?token=s3cret@v1",
        "git+https://h.example/r.git//pdf?token=s3cret",
        "git+https://h.example/r.git#s3cret",
        "git+ssh://git@h.example/r.git?token=s3cret",
        "git+https://me:s3cret@h.example/r.git",
        "https://h.example/r.git?token=s3cret",
        "https://github.com/o/r?token=s3cret",
        "https://github.com/o/r/tree/main/skills#s3cret",
        "https://s3cret@github.com/o/r",
        "https://oauth2:s3cret@gitlab.com/g/r/-/tree/main/skills",
        "https://me:s3c/s3cret@h.example/r.git",
        "ssh://git:s3cret@h.example/r.git",
        "git@h.example:o/r.git?token=s3cret",
        "gh:o/r?token=s3cret",
        "gh:o/r/pdf?token=s3cret",
        "gh:o/r@v1?token=s3cret",
    ] {
        for command in ["list", "validate", "install", "render"] {
            let run = sandbox.run([command, source, "-vv"]);
            assert_eq!(run.code, 2, "{source}: {}", run.all());
            assert!(run.stderr.contains("is not a source of skills"), "{}", run.stderr);
            assert!(!run.all().contains(secret), "{source}: {}", run.all());
        }
        let json = sandbox.run(["list", source, "--format", "json"]);
        assert!(json.code == 2 && !json.all().contains(secret), "{}", json.all());
        sandbox.write("skills.yaml", format!("version: 1\nskills:\n  - source: \"{source}\"\n"));
        for command in ["list", "lock", "validate"] {
            let run = sandbox.run([command, "-vv"]);
            assert_ne!(run.code, 0, "{source}: {}", run.all());
            let quoted = run.all().lines().filter(|line| line.contains(secret)).count();
            assert_eq!(quoted, 0, "{source}: {}", run.all());
        }
        fs::remove_file(sandbox.path("skills.yaml")).unwrap();
    }
}

#[test]
fn redirects_of_a_server_on_this_machine_are_not_followed() {
    let sandbox = Sandbox::new();
    if Origin::empty(&sandbox, "x").is_none() {
        return;
    }
    let path = Command::new("git").arg("--exec-path").output().unwrap().stdout;
    let path = String::from_utf8(path).unwrap();
    if !Path::new(path.trim()).join("git-remote-http").exists() {
        return skip("this git comes without http");
    }
    let count = |asked: &Arc<AtomicUsize>| {
        let asked = Arc::clone(asked);
        move || asked.fetch_add(1, Ordering::SeqCst)
    };
    let (first, second) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let ask = count(&second);
    let elsewhere = serve(move |stream| {
        ask();
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    });
    let ask = count(&first);
    let port = serve(move |stream| {
        ask();
        let _ = stream.read(&mut [0; 4096]);
        let _ = write!(
            stream,
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{elsewhere}/r.git/info/refs\
             ?service=git-upload-pack\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
    });
    let run = sandbox.run(["list", &format!("git+http://127.0.0.1:{port}/r.git")]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(first.load(Ordering::SeqCst) > 0, "{}", run.stderr);
    assert_eq!(second.load(Ordering::SeqCst), 0, "{}", run.stderr);
}

/// The one file that holds an object.
fn loose(repository: &Path, id: &str) -> std::path::PathBuf {
    repository.join("objects").join(&id[..2]).join(&id[2..])
}

#[test]
fn an_object_that_git_believes_is_believed_only_if_it_hashes_to_its_name() {
    for format in ["sha1", "sha256"] {
        let sandbox = Sandbox::new();
        let Some(origin) = Origin::with_format(&sandbox, "origin", format) else { return };
        origin.skill("pdf");
        let good = origin.commit("Good");
        let id = |what: &str| origin.git(&["rev-parse", what]);
        let whole = [good.clone(), id("HEAD^{tree}"), id("HEAD:pdf"), id("HEAD:pdf/SKILL.md")];
        let source = origin.source(&format!("@{good}"));
        let install = || {
            let _ = fs::remove_dir_all(sandbox.path("out"));
            sandbox.run(["install", &source, "--dir", "out"])
        };
        assert_eq!(install().code, 0);
        // Each object as a loose file, in git's own layout.
        let cache = cached(&sandbox).remove(0);
        for entry in fs::read_dir(cache.join("objects/pack")).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        for id in &whole {
            fs::create_dir_all(loose(&cache, id).parent().unwrap()).unwrap();
            fs::copy(loose(&origin.path.join(".git"), id), loose(&cache, id)).unwrap();
        }
        // Another valid object of the same kind.
        origin.write("pdf/SKILL.md", good_text("pdf").replace("Run it.", "Run evil."));
        let evil = origin.commit("Evil");
        let other = [evil, id("HEAD^{tree}"), id("HEAD:pdf"), id("HEAD:pdf/SKILL.md")];
        for id in &other {
            fs::create_dir_all(loose(&cache, id).parent().unwrap()).unwrap();
            fs::copy(loose(&origin.path.join(".git"), id), loose(&cache, id)).unwrap();
        }
        let away = sandbox.path("../away");
        fs::rename(&origin.path, &away).unwrap();
        assert_eq!(install().code, 0, "the cache is as good as before");
        for (right, wrong) in whole.iter().zip(&other) {
            let kept = fs::read(loose(&cache, right)).unwrap();
            replace(&loose(&cache, right), &fs::read(loose(&cache, wrong)).unwrap());
            // Git returns the object without checking it.
            let mut command = Command::new("git");
            command.env("GIT_DIR", &cache).args(["cat-file", "-t", right]);
            assert!(command.output().unwrap().status.success());
            let run = install();
            assert_eq!(run.code, 2, "{right}: {}", run.all());
            assert!(!sandbox.path("out/pdf").exists(), "{right}");
            replace(&loose(&cache, right), &kept);
        }
        assert_eq!(install().code, 0);
        assert_eq!(sandbox.read("out/pdf/SKILL.md"), good_text("pdf"));
        // With a server, it is fetched again.
        replace(&loose(&cache, &whole[3]), &fs::read(loose(&cache, &other[3])).unwrap());
        fs::rename(&away, &origin.path).unwrap();
        assert_eq!(install().code, 0);
        assert_eq!(sandbox.read("out/pdf/SKILL.md"), good_text("pdf"));
    }
}
