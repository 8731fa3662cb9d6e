//! How the YAML readers of the agents differ from ours, one row per reader.

use crate::skills::text::yaml::{Controls, Lenience};

/// The reader built into Bun 1.4.4: Claude.
pub const BUN: Lenience = Lenience {
    unknown_tags: true,
    merge_keys: true,
    controls: Controls::Anywhere,
    leading_comma: true,
    deep_brackets: true,
    ..Lenience::STRICT
};

/// libyaml, or one that behaves like it: Codex and Copilot.
pub const LIBYAML: Lenience = Lenience {
    unknown_tags: true,
    old_breaks: true,
    shallow_quotes: true,
    attached_comments: true,
    plain_anchors: true,
    ..Lenience::STRICT
};

/// js-yaml 3: OpenCode.
pub const JS_YAML_3: Lenience =
    Lenience { empty_items: true, ignored_tabs: true, entries_in_a_line: true, ..JS_YAML_4 };

/// js-yaml 4: Gemini.
pub const JS_YAML_4: Lenience = Lenience {
    merge_keys: true,
    controls: Controls::InQuotes,
    shallow_quotes: true,
    attached_comments: true,
    ..Lenience::STRICT
};

/// The npm package `yaml` 2.9: Pi.
pub const YAML_2: Lenience = Lenience {
    unknown_tags: true,
    controls: Controls::Anywhere,
    key_behind_brackets: true,
    collections_differ: true,
    deep_brackets: true,
    ..Lenience::STRICT
};
