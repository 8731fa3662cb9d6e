//! The JSON of `skills push` and `skills pack --oci`.

use std::io::{self, Write};

use serde::Serialize;

use super::VERSION;
use super::install::{SkippedRow, skipped as rows_of_skipped};
use crate::output::json;
use crate::skills::files::digest::Digest;
use crate::skills::put::install::choice::Skipped;
use crate::skills::put::push::Published;

#[derive(Serialize)]
struct PushReport<'a> {
    version: u32,
    artifacts: Vec<ArtifactRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<SkippedRow<'a>>,
}

#[derive(Serialize)]
struct ArtifactRow<'a> {
    name: &'a str,
    kind: &'static str,
    reference: String,
    digest: Digest,
    tags: &'a [String],
    uploaded: bool,
}

/// What was published, and what was not.
pub fn published(
    out: &mut dyn Write,
    published: &[Published],
    skipped: &[Skipped],
) -> io::Result<()> {
    let rows = published.iter().map(|one| ArtifactRow {
        name: &one.name,
        kind: if one.is_collection { "collection" } else { "skill" },
        reference: one.reference(),
        digest: one.digest,
        tags: &one.tags,
        uploaded: one.uploaded,
    });
    let report = PushReport {
        version: VERSION,
        artifacts: rows.collect(),
        skipped: rows_of_skipped(skipped),
    };
    json::write(out, &report)
}
