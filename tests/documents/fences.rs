//! Reads Markdown as far as the tests need it: fenced blocks, and code in running text.

/// A fenced block.
pub(crate) struct Block {
    /// The line of its first fence, from 1.
    pub(crate) line: usize,
    /// The info string of its first fence.
    pub(crate) language: String,
    /// The reason that a comment `<!-- not run: … -->` right before it gives.
    pub(crate) not_run: Option<String>,
    /// Its content, without the indentation of the fence.
    pub(crate) lines: Vec<String>,
}

/// One command of a session, and what it prints.
pub(crate) struct Step {
    pub(crate) line: usize,
    pub(crate) command: String,
    pub(crate) output: Vec<String>,
}

impl Block {
    /// Whether it is a command for readers to type.
    pub(crate) fn has_commands(&self) -> bool {
        ["console", "sh", "bash", "zsh", "fish", "shell", "powershell"]
            .contains(&self.language.as_str())
    }

    /// The commands of a `console` block: `$ ` starts one, `> ` continues it.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for (number, text) in self.lines.iter().enumerate() {
            let line = self.line + 1 + number;
            match (text.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => {
                    steps.push(Step { line, command: command.to_owned(), output: Vec::new() });
                }
                (None, None) => panic!("line {line}: a console block starts with `$ `"),
                (None, Some(step)) => match text.strip_prefix("> ") {
                    Some(more) if step.output.is_empty() => {
                        step.command += "\n";
                        step.command += more;
                    }
                    _ => step.output.push(text.clone()),
                },
            }
        }
        steps
    }
}

/// All fenced blocks of a document, and the rest of it with blank lines in their place.
pub(crate) fn split(document: &str) -> (Vec<Block>, Vec<String>) {
    let mut blocks = Vec::new();
    let mut prose: Vec<String> = Vec::new();
    let mut open: Option<(usize, usize, Block)> = None;
    for (number, line) in document.lines().enumerate() {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        let ticks = text.len() - text.trim_start_matches('`').len();
        match open.take() {
            Some((width, _, block)) if ticks >= width && text.len() == ticks => blocks.push(block),
            Some((width, margin, mut block)) => {
                block.lines.push(line[margin.min(indent)..].to_owned());
                open = Some((width, margin, block));
            }
            None if ticks >= 3 => {
                let block = Block {
                    line: number + 1,
                    language: text[ticks..].trim().to_owned(),
                    not_run: prose
                        .iter()
                        .rev()
                        .find(|line| !line.is_empty())
                        .and_then(|line| reason(line)),
                    lines: Vec::new(),
                };
                open = Some((ticks, indent, block));
            }
            None => {
                prose.push(line.to_owned());
                continue;
            }
        }
        prose.push(String::new());
    }
    assert!(open.is_none(), "a fence is not closed");
    (blocks, prose)
}

/// Why a block cannot be run, if a comment says so.
pub(crate) fn reason(line: &str) -> Option<String> {
    let reason = line.trim().strip_prefix("<!-- not run:")?.strip_suffix("-->")?;
    Some(reason.trim().to_owned())
}

/// The text between single backquotes in running text.
pub(crate) fn code_spans(prose: &[String]) -> Vec<String> {
    let mut spans = Vec::new();
    for paragraph in prose.split(|line| line.trim().is_empty()) {
        let text = paragraph.join(" ");
        spans.extend(text.split('`').skip(1).step_by(2).map(str::to_owned));
    }
    spans
}
