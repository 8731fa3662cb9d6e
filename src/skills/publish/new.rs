//! Writes a new skill that validates clean.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::skills::files;
use crate::skills::find::manifest::{FILE_NAME, schema};
use crate::skills::model::error::{Error, Result, err};
use crate::skills::model::inline;
use crate::skills::model::name::SkillName;
use crate::skills::text::document::SKILL_MD;

/// What a new skill consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkillTemplate {
    /// Instructions alone.
    Plain,
    /// Instructions that run a script.
    Scripts,
    /// Short instructions that point at longer texts.
    References,
}

/// A file besides the `SKILL.md`.
struct TemplateFile {
    path: &'static str,
    text: &'static str,
    executable: bool,
}

impl SkillTemplate {
    const fn steps(self) -> &'static str {
        match self {
            Self::Plain => "1. Say what to do first.\n2. Say how to check the result.\n",
            Self::Scripts => {
                "1. Run `scripts/run.sh INPUT` from the directory of this skill.\n\
                 2. If it fails, read its message, correct the input, and run it again.\n\
                 3. Say how to check the result.\n"
            }
            Self::References => {
                "1. Say what to do first.\n\
                 2. Read [the guide](references/guide.md) for unusual cases, and only then.\n\
                 3. Compare the result with [the examples](references/examples.md).\n"
            }
        }
    }

    const fn files(self) -> &'static [TemplateFile] {
        match self {
            Self::Plain => &[],
            Self::Scripts => &[TemplateFile {
                path: "scripts/run.sh",
                text: "#!/bin/sh\n\
                    # Say what this script does and what it prints.\n\
                    set -eu\n\n\
                    if [ \"$#\" -ne 1 ]; then\n    \
                        echo \"usage: run.sh INPUT\" >&2\n    \
                        exit 2\n\
                    fi\n\n\
                    echo \"run.sh is not written yet\" >&2\n\
                    exit 1\n",
                executable: true,
            }],
            Self::References => &[
                TemplateFile {
                    path: "references/guide.md",
                    text: "# Guide\n\nSay what the short instructions leave out.\n",
                    executable: false,
                },
                TemplateFile {
                    path: "references/examples.md",
                    text: "# Examples\n\n## A good result\n\nShow one.\n\n\
                        ## A bad result\n\nShow one, and say what is wrong with it.\n",
                    executable: false,
                },
            ],
        }
    }
}

/// The text of a new `SKILL.md`.
pub fn skill_md(
    name: &SkillName,
    description: Option<&str>,
    template: SkillTemplate,
) -> Result<String> {
    let title = title(name);
    // `validate --strict` refuses this one until somebody replaces it.
    let placeholder =
        format!("TODO: say what {title} does. Use when the user asks for it by name.");
    let yaml = inline::front_matter(name.as_str(), description.unwrap_or(&placeholder))?;
    let steps = template.steps();
    Ok(format!(
        "---\n{yaml}---\n\n# {title}\n\n\
         ## When to use\n\n\
         Say which requests this skill is for, and which it is not for.\n\n\
         ## Steps\n\n{steps}"
    ))
}

/// Creates `parent/name/SKILL.md` with this text, and the other files of the template, and returns
/// its path.
pub fn create(
    parent: &Path,
    name: &SkillName,
    text: &str,
    template: SkillTemplate,
) -> Result<PathBuf> {
    let directory = parent.join(name.as_str());
    std::fs::create_dir_all(parent).map_err(|error| Error::io("create", parent, &error))?;
    std::fs::create_dir(&directory).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            err!(Conflict, "`{}` already exists", directory.display())
                .at(&directory)
                .help("choose another name, or another directory with `--dir`")
        }
        _ => Error::io("create", &directory, &error),
    })?;
    let file = directory.join(SKILL_MD);
    let others = template.files().iter().map(|one| (directory.join(one.path), one.text, one));
    let mut written = write(&file, text, false);
    for (path, text, one) in others {
        written = written.and_then(|()| write(&path, text, one.executable));
    }
    if let Err(error) = written {
        // Do not leave half a skill. If this fails too, report the first error.
        let _ = std::fs::remove_dir_all(&directory);
        return Err(error);
    }
    Ok(file)
}

/// Writes a new file, with the directory it is in.
fn write(path: &Path, text: &str, executable: bool) -> Result<()> {
    let made = || {
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        let mut file = std::fs::File::create_new(path)?;
        file.write_all(text.as_bytes())?;
        if executable { files::set_executable(&file) } else { Ok(()) }
    };
    made().map_err(|error| Error::io("write", path, &error))
}

/// Creates a commented manifest in `parent` and returns its path.
pub fn create_manifest(parent: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(parent).map_err(|error| Error::io("create", parent, &error))?;
    let file = parent.join(FILE_NAME);
    let created = std::fs::File::create_new(&file)
        .and_then(|mut opened| opened.write_all(schema::EXAMPLE.as_bytes()));
    match created {
        Ok(()) => Ok(file),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            Err(err!(Conflict, "`{}` already exists", file.display()).at(file))
        }
        Err(error) => Err(Error::io("write", file, &error)),
    }
}

/// `pdf-forms` gives `Pdf Forms`.
fn title(name: &SkillName) -> String {
    let capitalise = |word: &str| {
        let mut characters = word.chars();
        let first = characters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(characters).collect::<String>()
    };
    name.as_str().split('-').map(capitalise).collect::<Vec<_>>().join(" ")
}
