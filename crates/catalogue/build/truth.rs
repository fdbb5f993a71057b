//! What the GPU did with each case: the part of `tests/truth/truth.json` that the catalogue shows.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The results by the name of the case.
pub type Truth = BTreeMap<String, CaseResult>;

#[derive(Debug, Deserialize)]
pub struct CaseResult {
    case: String,
    pub error_type: Option<String>,
    pub error: Option<String>,
    pub first_refused_call: Option<RefusedCall>,
}

#[derive(Debug, Deserialize)]
pub struct RefusedCall {
    pub api: String,
    pub code: i32,
}

pub fn parse(json: &str) -> Result<Truth, String> {
    let results: Vec<CaseResult> =
        serde_json::from_str(json).map_err(|error| format!("tests/truth/truth.json: {error}"))?;
    Ok(results
        .into_iter()
        .map(|result| (result.case.clone(), result))
        .collect())
}
