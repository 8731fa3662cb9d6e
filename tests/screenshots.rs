//! The pictures of the README, drawn from the program's output. With `UPDATE_SCREENSHOTS`, as in
//! `.ci/generate`, they are written, else compared.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anstyle::{RgbColor, Style};
use anstyle_svg::{Term, WIN10_CONSOLE};

use crate::documents::session;

const PROMPT: Style = Style::new().dimmed();
const TERMINAL: Term = Term::new()
    .palette(WIN10_CONSOLE)
    .fg_color(anstyle::Color::Rgb(RgbColor(0xe6, 0xed, 0xf3)))
    .bg_color(anstyle::Color::Rgb(RgbColor(0x0d, 0x11, 0x17)));

#[test]
fn validate() {
    compare("validate", &["skills validate fixtures/invalid/invalid-yaml/unquoted-colon"]);
}

#[test]
fn show() {
    compare("show", &["skills show fixtures/examples/skills/csv-report"]);
}

#[test]
fn mount() {
    compare(
        "mount",
        &[
            "skills mount fixtures/examples/skills --agent claude -- sh -c 'ls ~/.claude/skills; exit 7'",
            "echo $?",
            "home=$(skills mount fixtures/examples/skills --agent codex)",
            "find \"$home\" -name SKILL.md | sed \"s|^$home|~|\" | sort",
            "skills unmount \"$home\" && ls -d \"$home\" 2>/dev/null || echo nothing is left",
        ],
    );
}

/// Compares the picture of a session with the committed one.
fn compare(name: &str, commands: &[&str]) {
    let ran = session::run(commands, &[("CLICOLOR_FORCE", "1")]);
    let mut screen = String::new();
    for (command, ran) in commands.iter().zip(ran) {
        write!(screen, "{PROMPT}${PROMPT:#} {command}\n{}", ran.output).unwrap();
    }
    let drawn = TERMINAL.render_svg(&screen);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/images/{name}.svg"));
    if std::env::var_os("UPDATE_SCREENSHOTS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &drawn).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == drawn, "{name}.svg is stale: run .ci/generate; the screen is\n{screen}");
}
