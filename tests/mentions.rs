//! Help and errors mention only flags that the command has, and files that every installation has.

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{Sandbox, flags, good_text, help, verbs};

fn has_flag(verb: &str, flag: &str) -> bool {
    flags(verb).iter().any(|one| one == flag)
}

/// The flags in a text, each with its command: the last one named before it on the line, or else
/// the one that prints the text.
fn mentioned(text: &str, verb: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for line in text.lines() {
        for (at, _) in line.match_indices("--") {
            let is_start = line[..at].chars().next_back().is_none_or(|one| " `(=[|".contains(one));
            let is_letter = |one: &char| one.is_ascii_lowercase() || *one == '-';
            let flag: String = line[at + 2..].chars().take_while(is_letter).collect();
            if !is_start || !flag.starts_with(|one: char| one.is_ascii_lowercase()) {
                continue;
            }
            let about = line[..at].rsplit_once("skills ").and_then(|(before, rest)| {
                let word = rest.split([' ', '`']).next()?;
                let is_program = before.is_empty() || before.ends_with([' ', '`', '(', '"']);
                let is_here = !rest.contains('`') || rest.starts_with('`');
                (is_program && is_here && verbs().iter().any(|verb| verb == word))
                    .then(|| word.to_owned())
            });
            found.push((about.unwrap_or_else(|| verb.to_owned()), flag));
        }
    }
    found
}

/// Code in backquotes on one line.
fn unwrapped(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match lines.last_mut().filter(|last| last.matches('`').count() % 2 == 1) {
            Some(last) => *last = format!("{last} {}", line.trim_start()),
            None => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

#[test]
fn help_mentions_only_flags_of_its_command() {
    let (mut number, mut faults) = (0, Vec::new());
    for verb in verbs() {
        for (about, flag) in mentioned(&unwrapped(help(&verb)), &verb) {
            number += 1;
            if !has_flag(&about, &flag) {
                faults.push(format!("`skills {verb} --help`: `{about}` has no `--{flag}`"));
            }
        }
    }
    assert!(number > 500, "only {number} flags found");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn errors_mention_only_flags_of_their_command() {
    let sandbox = Sandbox::repository();
    sandbox.good_skill("good/pdf");
    sandbox.good_skill("outer/inner/nested");
    sandbox.write("outer/SKILL.md", good_text("outer"));
    sandbox.good_skill("twins/one/twin");
    sandbox.skill("twins/two/twin", &(good_text("twin") + "More.\n"));
    sandbox.skill("broken/bad", "---\nname: bad\ndescription: [\n---\n\nText.\n");
    sandbox.good_skill("large/big");
    sandbox.write("large/big/data", "x".repeat(11 << 20));
    sandbox.mkdir("empty");
    sandbox.write("manifests/strict.yaml", "validate: strict\nskills: [../broken, ../good]\n");
    sandbox.write("manifests/params.yaml", "skills: [{source: ../good, enabled: {param: x}}]\n");
    sandbox.write("manifests/sections.yaml", "skills: [../good]\nsections: {data: summary}\n");
    sandbox.write("manifests/all.yaml", "skills: [../twins]\n");
    let sources = [
        "missing",
        "empty",
        "manifests/all.yaml",
        "twins",
        "broken",
        "broken/bad",
        "large",
        "owner/repo",
        "--only=nested outer",
        "--only=other good",
        "--deny=* good",
        "--frozen good",
        "--expand=x good",
        "--manifest=manifests/strict.yaml",
        "--manifest=manifests/params.yaml",
        "--manifest=manifests/sections.yaml --expand=dota",
        "--manifest=manifests/none.yaml",
        "--frozen",
        "--param=x good",
        "",
    ];
    let (mut number, mut faults) = (0, Vec::new());
    for verb in
        ["validate", "list", "render", "read", "install", "mount", "pack", "lock", "outdated"]
    {
        for source in sources {
            let mut args: Vec<&str> = vec![verb];
            if verb == "read" {
                args.push("pdf");
            }
            args.extend(source.split_whitespace());
            let run = sandbox.run(&args);
            // The parser refuses flags that the verb lacks, and suggests others itself.
            if run.stderr.contains("unexpected argument") {
                continue;
            }
            for (about, flag) in mentioned(&run.stderr, verb) {
                number += 1;
                if !has_flag(&about, &flag) {
                    faults.push(format!("{args:?}: `{about}` has no `--{flag}`: {}", run.stderr));
                }
            }
        }
    }
    assert!(number > 30, "only {number} flags found");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A home with skills in every state that verbs for installed skills complain about.
fn home_with_trouble(sandbox: &Sandbox) {
    for name in ["edited", "gone", "moved", "twin", "broken", "fine", "linked", "away"] {
        sandbox.good_skill(&format!("origin/{name}"));
    }
    sandbox.good_skill("large/big");
    sandbox.good_skill("outer/inner/nested");
    sandbox.write("outer/SKILL.md", good_text("outer"));
    for args in [
        &["install", "origin", "large/big"][..],
        &["install", "origin/fine", "--agent", "codex"],
        &["disable", "away"],
        &["remove", "linked"],
        &["install", "--link", "origin/linked"],
    ] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 0, "{args:?}: {}", run.all());
    }
    sandbox.write("../home/.claude/skills/edited/SKILL.md", "edited");
    sandbox.write("origin/edited/new.md", "New.\n");
    sandbox.write("origin/fine/new.md", "New.\n");
    sandbox.skill("origin/broken", "---\nname: broken\ndescription: [\n---\n");
    sandbox.write("large/big/data", "x".repeat(11 << 20));
    sandbox.home_skill(".claude/skills/unrecorded");
    sandbox.home_skill(".claude/skills/away");
    sandbox.shell("rm -r origin/gone ../home/.claude/skills/moved");
    sandbox.good_skill("twins/one/twin");
    sandbox.skill("twins/two/twin", &(good_text("twin") + "More.\n"));
    sandbox.write("skills.yaml", "skills: [./origin/edited, ./missing]\n");
    sandbox.write("manifests/none.yaml", "skills: []\n");
    sandbox.write("manifests/strict.yaml", "validate: strict\nskills: [../origin]\n");
    sandbox.write("manifests/large.yaml", "skills: [../large]\n");
    sandbox.write("manifests/twins.yaml", "skills: [../twins]\n");
    sandbox.write("manifests/params.yaml", "skills: [{source: ../a, enabled: {param: x}}]\n");
    sandbox.write("manifests/isolation.yaml", "isolation: {env: {A: b}}\nskills: [../twins/one]\n");
    sandbox.write("manifests/git.yaml", "skills: ['git+file:///nowhere/at/all']\n");
}

/// A command line for each of the flags with each of the rests.
fn each(verb: &str, flags: &[&str], rests: &[String]) -> Vec<String> {
    let lines = |flag: &&str| -> Vec<String> {
        rests.iter().map(|rest| format!("{verb} {flag} {rest}")).collect()
    };
    flags.iter().flat_map(lines).collect()
}

#[test]
fn errors_about_installed_skills_mention_only_flags_of_their_command() {
    let sandbox = Sandbox::repository();
    home_with_trouble(&sandbox);
    let names = [
        "",
        "nothing",
        "x*",
        "edited",
        "gone",
        "moved",
        "broken",
        "fine",
        "linked",
        "unrecorded",
        "away",
    ];
    let names = names.map(str::to_owned);
    let manifests = ["none", "strict", "large", "twins", "params", "isolation", "git", "lost"];
    let manifests = manifests.map(|name| format!("--manifest=manifests/{name}.yaml"));
    let sources =
        ["large/big", "twins", "outer", "origin", "missing", "twins --only=twin", "owner/repo"];
    let sources = sources.map(str::to_owned);
    let mut lines: Vec<String> = Vec::new();
    lines.extend(each(
        "show",
        &["", "--diff", "--offline", "--agent=codex", "--diff --agent=x"],
        &names,
    ));
    lines.extend(each("show", &["", "--diff", "--frozen"], &sources));
    lines.extend(each("outdated", &["", "--offline"], &names));
    lines.extend(each("outdated", &["", "--offline"], &manifests));
    lines.extend(each("verify", &["", "--agent=all", "--frozen"], &names));
    lines.extend(each(
        "sync",
        &["--frozen", "--upgrade --dry-run", "--offline", "-n", "--expand=x -n"],
        &manifests,
    ));
    lines.extend(["sync".to_owned(), "sync --frozen".to_owned(), "sync --param=x".to_owned()]);
    let dry = [
        "-n",
        "--check",
        "--offline -n",
        "--diff -n",
        "--undo -n",
        "--dir=nowhere",
        "-n --agent=x",
    ];
    lines.extend(each("update", &dry, &names));
    lines.extend(each("disable", &["-n", "-n --agent=codex", "-n --dir=nowhere"], &names));
    lines.extend(each("enable", &["-n", "-n --agent=codex", "-n --dir=nowhere"], &names));
    lines.extend(each("remove", &["-n", "-n --agent=codex", "-n --dir=nowhere"], &names));
    let (mut number, mut faults) = (0, Vec::new());
    for line in &lines {
        let args: Vec<&str> = line.split_whitespace().collect();
        let run = sandbox.run(&args);
        assert!(run.code < 3, "{line}: {}", run.all());
        // A flag that the verb lacks is refused by the parser, which suggests flags itself.
        if run.stderr.contains("unexpected argument") {
            continue;
        }
        for (about, flag) in mentioned(&run.all(), args[0]) {
            number += 1;
            if !has_flag(&about, &flag) {
                faults.push(format!("{line}: `{about}` has no `--{flag}`: {}", run.all()));
            }
        }
    }
    assert!(number > 30, "only {number} flags found");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// All files of a directory with this ending.
fn files(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { files(&path, ending) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == ending))
        .collect()
}

#[test]
fn no_text_sends_people_to_a_file_of_the_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for path in files(&root.join("src"), "rs") {
        // Comments on flags become help.
        let is_help = path.starts_with(root.join("src/cli/args"));
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            let line = line.trim();
            let is_comment = line.starts_with("//") && !(is_help && line.starts_with("/// "));
            let is_build = line.contains("include_str!");
            // Rules show links of skills, not of this repository.
            let is_example = path.starts_with(root.join("src/skills/judge/rules"));
            let is_test = path.starts_with(root.join("src/tests"));
            if is_comment || is_build || is_example || is_test {
                continue;
            }
            let place = format!("{}:{}", path.display(), number + 1);
            for place_of_ours in ["docs/", "README.md", "CONTRIBUTING.md", "fixtures/"] {
                assert!(!line.contains(place_of_ours), "{place}: {line}");
            }
        }
    }
}
