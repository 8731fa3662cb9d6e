//! Limits of the format and of one skill. Limits of a single part of this program are defined in
//! that part.

/// The largest `SKILL.md` that is read.
pub const SKILL_MD_BYTES: u64 = 1024 * 1024;
/// The largest front matter that is parsed.
pub const FRONT_MATTER_BYTES: usize = 64 * 1024;
/// How deep YAML collections may nest.
pub const YAML_DEPTH: usize = 16;
/// How many parser events one YAML document may produce.
pub const YAML_EVENTS: usize = 20_000;

/// Characters in a skill's name.
pub const NAME_CHARS: usize = 64;
/// Characters in a description.
pub const DESCRIPTION_CHARS: usize = 1024;
/// Characters in `compatibility`.
pub const COMPATIBILITY_CHARS: usize = 500;
/// Lines after which a body is better split into references.
pub const BODY_LINES: usize = 500;
/// Estimated tokens after which a body is better split into references.
pub const BODY_TOKENS: usize = 5_000;

/// Bytes of all files of one skill.
pub const SKILL_BYTES: u64 = 10 * 1024 * 1024;
/// Bytes of all skills that are installed at once.
pub const TOTAL_BYTES: u64 = 50 * 1024 * 1024;
/// Files and directories in one skill.
pub const SKILL_ENTRIES: usize = 5_000;
/// Directory levels below a skill.
pub const SKILL_DEPTH: usize = 32;
/// Bytes of a path relative to its skill.
pub const RELATIVE_PATH_BYTES: usize = 1_024;

/// Files of one skill that every host of the Model Context Protocol accepts.
pub const MCP_FILES: usize = 512;
/// Bytes of one skill that every host of the Model Context Protocol accepts.
pub const MCP_BYTES: u64 = 16 * 1024 * 1024;

/// A rough count of model tokens: four characters each, rounded up.
pub const fn tokens(characters: usize) -> usize {
    characters.div_ceil(4)
}
