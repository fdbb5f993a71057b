//! What the tests did on a real GPU.

use std::collections::HashMap;

use serde::Deserialize;

use crate::failure::{Context, Result};

/// How each test ended on an H200 with PyTorch 2.11, as `hardware.py` printed it there.
const H200: &str = include_str!("h200.jsonl");

#[derive(Deserialize)]
struct Line {
    test: String,
    outcome: String,
}

/// pytest's word for each test, by its name.
pub fn outcomes() -> Result<HashMap<String, String>> {
    H200.lines()
        .map(|line| {
            let line: Line = serde_json::from_str(line).context(|| {
                format!("h200.jsonl has a line that hardware.py does not print: {line}")
            })?;
            Ok((line.test, line.outcome))
        })
        .collect()
}
