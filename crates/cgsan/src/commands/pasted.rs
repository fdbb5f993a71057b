//! What the linter says of a program that somebody pasted into a text.

use std::path::Path;

use cgsan_explain::Evidence;
use cgsan_lint::{Project, Settings};

/// The name under which it is looked at.
const NAME: &str = "<pasted>";

/// Pasted code is often cut before its imports.
const IMPORT: &str = "import torch\n";

/// What is wrong in the program of a text, if it holds one.
pub fn evidence(text: &str) -> Vec<Evidence> {
    let Some(program) = cgsan_explain::program(text) else {
        return Vec::new();
    };
    if !cgsan_lint::mentions_captures(&program) {
        return Vec::new();
    }
    let path = Path::new(NAME);
    let mut project = Project::default();
    project.set_text(path, format!("{IMPORT}{program}"));
    let outcome = cgsan_lint::lint_file(&mut project, &Settings::default(), path);
    let lines: Vec<&str> = program.lines().collect();
    outcome
        .findings
        .iter()
        .filter_map(|finding| {
            let line = finding.location.as_ref()?.line.checked_sub(1)?;
            let index = usize::try_from(line).ok()?.checked_sub(1)?;
            Some(Evidence {
                id: finding.id,
                line: line.into(),
                code: lines.get(index)?.trim().to_owned(),
                is_certain: finding.confidence == cgsan_finding::Confidence::Confirmed,
            })
        })
        .collect()
}
