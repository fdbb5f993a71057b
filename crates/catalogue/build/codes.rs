//! `catalogue/codes.toml`, the result codes of CUDA, and `catalogue/counts.toml`, how often each was recorded.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::fold::fold;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    codes: Vec<Code>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Code {
    #[serde(rename = "code")]
    number: i32,
    runtime: String,
    driver: String,
    text: String,
    en: String,
    zh: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Counts {
    programs: u32,
    calls: u32,
    codes: BTreeMap<String, Count>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Count {
    programs: u32,
    calls: u32,
}

/// The source of `static CODES: &[ErrorCode]` and of what was counted.
pub fn emit(codes: &str, counts: &str) -> Result<String, String> {
    let File { codes } = parse("catalogue/codes.toml", codes)?;
    let counts: Counts = parse("catalogue/counts.toml", counts)?;
    if !codes.is_sorted_by(|a, b| a.number < b.number) {
        return Err("catalogue/codes.toml: the codes do not ascend".to_owned());
    }
    let emitted: Vec<String> = codes
        .iter()
        .map(|known| {
            let count = counts.codes.get(&known.number.to_string());
            code(known, count.copied().unwrap_or_default())
        })
        .collect();
    Ok(format!(
        "pub static CODES: &[ErrorCode] = &[{}];\npub const COUNTED: Counted = Counted {{ programs: {}, calls: {} }};\n",
        emitted.join(",\n"),
        counts.programs,
        counts.calls
    ))
}

fn parse<T: DeserializeOwned>(name: &str, content: &str) -> Result<T, String> {
    toml::from_str(content).map_err(|error| format!("{name}: {}", error.to_string().trim()))
}

fn code(code: &Code, count: Count) -> String {
    format!(
        "ErrorCode {{ code: {}, runtime: {:?}, driver: {:?}, text: {:?}, programs: {}, calls: {}, \
         meaning: Text {{ english: {:?}, chinese: {:?} }} }}",
        code.number,
        code.runtime,
        code.driver,
        code.text,
        count.programs,
        count.calls,
        fold(&code.en),
        fold(&code.zh),
    )
}
