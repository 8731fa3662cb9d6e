//! The pictures of the README, drawn from what the program prints. With `UPDATE_SCREENSHOTS` set they
//! are written (`.ci/generate` does it), else compared.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use unicode_width::UnicodeWidthStr;

use crate::documents::session;

const FONT: &str = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace";
const COLUMN: f32 = 8.4;
const LINE: usize = 20;
const MARGIN: usize = 18;
const BACKGROUND: &str = "#0d1117";
const TEXT: &str = "#e6edf3";
const PROMPT: &str = "#7d8590";

#[test]
fn validate() {
    compare("validate", &["skills validate fixtures/invalid/invalid-yaml/unquoted-colon"]);
}

#[test]
fn mount() {
    compare(
        "mount",
        &[
            "skills mount fixtures/examples/skills -- sh -c 'ls ~/.claude/skills; exit 7'",
            "echo $?",
            "home=$(skills mount fixtures/examples/skills --agent codex)",
            "find \"$home\" -name SKILL.md | sed \"s|^$home|~|\" | sort",
            "skills unmount \"$home\" && ls -d \"$home\" 2>/dev/null || echo nothing is left",
        ],
    );
}

/// Holds the picture of a session against the committed one.
fn compare(name: &str, commands: &[&str]) {
    let ran = session::run(commands, &[("CLICOLOR_FORCE", "1")]);
    let mut screen = String::new();
    for (command, ran) in commands.iter().zip(ran) {
        write!(screen, "$ {command}\n{}", ran.output).unwrap();
    }
    let drawn = svg(&screen);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/images/{name}.svg"));
    if std::env::var_os("UPDATE_SCREENSHOTS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &drawn).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == drawn, "{name}.svg is stale: run .ci/generate; the screen is\n{screen}");
}

/// A terminal as a picture: text that can be selected, no fonts to load.
fn svg(screen: &str) -> String {
    let lines: Vec<Vec<(Look, String)>> = runs(screen);
    let columns = |line: &Vec<(Look, String)>| line.iter().map(|(_, text)| text.width()).sum();
    let columns: usize = lines.iter().map(columns).max().unwrap_or(0);
    let width = (columns as f32 * COLUMN).ceil() as usize + 2 * MARGIN;
    let height = lines.len() * LINE + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONT}\" font-size=\"14\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n"
    );
    for (number, line) in lines.iter().enumerate() {
        let baseline = MARGIN + number * LINE + 15;
        write!(svg, "<text y=\"{baseline}\" xml:space=\"preserve\">").unwrap();
        let mut column = 0;
        for (look, text) in line {
            let x = MARGIN as f32 + column as f32 * COLUMN;
            let weight = if look.bold { " font-weight=\"bold\"" } else { "" };
            let (fill, text_width) = (look.fill, text.width());
            let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            // Where a word starts is given, so that carets stand where they belong in any font.
            write!(svg, "<tspan x=\"{x:.1}\" fill=\"{fill}\"{weight}>{text}</tspan>").unwrap();
            column += text_width;
        }
        svg += "</text>\n";
    }
    svg + "</svg>\n"
}

#[derive(Clone, Copy, PartialEq)]
struct Look {
    fill: &'static str,
    bold: bool,
}

const PLAIN: Look = Look { fill: TEXT, bold: false };

/// The lines of a screen, each as pieces of one look.
fn runs(screen: &str) -> Vec<Vec<(Look, String)>> {
    let mut look = PLAIN;
    let mut lines = Vec::new();
    for line in screen.lines() {
        let mut pieces: Vec<(Look, String)> = Vec::new();
        let mut rest = line;
        if let Some(command) = line.strip_prefix("$ ") {
            pieces.push((Look { fill: PROMPT, ..PLAIN }, "$ ".to_owned()));
            rest = command;
        }
        for (number, part) in rest.split("\u{1b}[").enumerate() {
            let text = if number == 0 {
                part
            } else {
                let (codes, text) = part.split_once('m').expect("only colours are escaped");
                look = codes.split(';').fold(look, with);
                text
            };
            if !text.is_empty() {
                pieces.push((look, text.to_owned()));
            }
        }
        lines.push(pieces);
    }
    lines
}

/// A look after one code of a terminal.
fn with(look: Look, code: &str) -> Look {
    let fill = |fill| Look { fill, ..look };
    match code {
        "" | "0" => PLAIN,
        "1" => Look { bold: true, ..look },
        "2" => fill(PROMPT),
        "31" | "91" => fill("#ff7b72"),
        "32" | "92" => fill("#3fb950"),
        "33" | "93" => fill("#d29922"),
        "34" | "94" => fill("#79c0ff"),
        "36" | "96" => fill("#39c5cf"),
        other => panic!("how does {other} look?"),
    }
}
