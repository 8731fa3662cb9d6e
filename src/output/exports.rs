//! Variables as lines for a shell to evaluate.

use std::ffi::OsStr;
use std::io::{self, Write};

use crate::skills::mount::policy::ChildEnvironment;

/// Shells that lines can be written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// What POSIX describes.
    Posix,
    Fish,
    Powershell,
}

/// Writes lines that set and unset variables.
pub fn lines(out: &mut dyn Write, environment: &ChildEnvironment, shell: Shell) -> io::Result<()> {
    let is_kept = |name: &OsStr| KEPT.iter().any(|kept| name == *kept);
    for name in environment.unset.iter().filter(|name| is_name(name) && !is_kept(name)) {
        let name = name.to_string_lossy();
        match shell {
            Shell::Posix => writeln!(out, "unset {name}")?,
            Shell::Fish => writeln!(out, "set -e {name}")?,
            Shell::Powershell => {
                writeln!(out, "Remove-Item -ErrorAction SilentlyContinue Env:{name}")?;
            }
        }
    }
    for (name, value) in environment.set.iter().filter(|(name, _)| is_name(name)) {
        let name = name.to_string_lossy();
        match shell {
            Shell::Posix => write!(out, "export {name}=")?,
            Shell::Fish => write!(out, "set -gx {name} ")?,
            Shell::Powershell => write!(out, "$env:{name} = ")?,
        }
        out.write_all(&quoted(value, shell))?;
        writeln!(out)?;
    }
    Ok(())
}

/// The line that makes a shell fail, for a command that failed.
pub const fn failure(shell: Shell) -> &'static str {
    match shell {
        Shell::Posix | Shell::Fish => "false",
        Shell::Powershell => "throw 'skills mount failed'",
    }
}

/// The quoted value, byte by byte, because a path may not be UTF-8.
fn quoted(value: &OsStr, shell: Shell) -> Vec<u8> {
    let inner = match shell {
        Shell::Posix => escaped(value.as_encoded_bytes(), &[(b'\'', b"'\\''")]),
        Shell::Fish => escaped(value.as_encoded_bytes(), &[(b'\\', b"\\\\"), (b'\'', b"\\'")]),
        Shell::Powershell => {
            let mut text = value.to_string_lossy().into_owned();
            // Powershell treats curly quotes as straight ones, and reads only text.
            for quote in ['\'', '\u{2018}', '\u{2019}', '\u{201a}', '\u{201b}'] {
                text = text.replace(quote, &format!("{quote}{quote}"));
            }
            text.into_bytes()
        }
    };
    [b"'".as_slice(), &inner, b"'"].concat()
}

/// Replaces some bytes by escapes. All of them are ASCII, so none is part of another character.
fn escaped(bytes: &[u8], escapes: &[(u8, &[u8])]) -> Vec<u8> {
    let mut result = Vec::with_capacity(bytes.len());
    for byte in bytes {
        match escapes.iter().find(|(special, _)| special == byte) {
            Some((_, escape)) => result.extend_from_slice(escape),
            None => result.push(*byte),
        }
    }
    result
}

/// Variables that shells manage themselves and do not unset.
const KEPT: [&str; 6] = ["_", "PWD", "OLDPWD", "SHLVL", "SHELLOPTS", "BASHOPTS"];

/// Whether a shell accepts this as the name of a variable.
fn is_name(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| {
        !name.starts_with(|first: char| first.is_ascii_digit())
            && !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_the_shell_itself_are_not_changed() {
        let unset = ["_", "A", "BASHOPTS", "OLDPWD", "PWD", "SHELLOPTS", "SHLVL", "_A", "PWDX"];
        let environment = ChildEnvironment {
            unset: unset.into_iter().map(Into::into).collect(),
            // They can be set, but not unset.
            set: [("PWD".into(), "/x".into())].into(),
            ..ChildEnvironment::default()
        };
        for (shell, word) in [
            (Shell::Posix, "unset "),
            (Shell::Fish, "set -e "),
            (Shell::Powershell, "Remove-Item -ErrorAction SilentlyContinue Env:"),
        ] {
            let mut out = Vec::new();
            lines(&mut out, &environment, shell).unwrap();
            let out = String::from_utf8(out).unwrap();
            let taken: Vec<&str> = out.lines().filter_map(|line| line.strip_prefix(word)).collect();
            assert_eq!(taken, ["A", "PWDX", "_A"], "{shell:?}");
            assert!(out.contains("PWD") && out.contains("'/x'"), "{shell:?}");
        }
    }

    #[test]
    fn values_are_quoted_for_each_shell_and_odd_names_are_left_out() {
        let environment = ChildEnvironment {
            set: [("A".into(), "it's $x \\".into()), ("B;rm".into(), "x".into())].into(),
            unset: ["X".into(), "Y Z".into()].into(),
            ..ChildEnvironment::default()
        };
        let written = |shell| {
            let mut out = Vec::new();
            lines(&mut out, &environment, shell).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written(Shell::Posix), "unset X\nexport A='it'\\''s $x \\'\n");
        assert_eq!(written(Shell::Fish), "set -e X\nset -gx A 'it\\'s $x \\\\'\n");
        assert_eq!(
            written(Shell::Powershell),
            "Remove-Item -ErrorAction SilentlyContinue Env:X\n$env:A = 'it''s $x \\'\n"
        );
    }
}
