//! `catalogue/codes.toml`: the result codes of CUDA.

use serde::Deserialize;

use crate::fold::fold;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    counted: Counted,
    codes: Vec<Code>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Counted {
    programs: u32,
    calls: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Code {
    #[serde(rename = "code")]
    number: i32,
    runtime: String,
    driver: String,
    text: String,
    programs: u32,
    calls: u32,
    en: String,
    zh: String,
}

/// The source of `const CODES: &[ErrorCode]` and of what was counted.
pub fn emit(content: &str) -> Result<String, String> {
    let file: File = toml::from_str(content)
        .map_err(|error| format!("catalogue/codes.toml: {}", error.to_string().trim()))?;
    if !file.codes.is_sorted_by(|a, b| a.number < b.number) {
        return Err("catalogue/codes.toml: the codes do not ascend".to_owned());
    }
    let codes: Vec<String> = file.codes.iter().map(code).collect();
    Ok(format!(
        "pub const CODES: &[ErrorCode] = &[{}];\npub const COUNTED: Counted = Counted {{ programs: {}, calls: {} }};\n",
        codes.join(",\n"),
        file.counted.programs,
        file.counted.calls
    ))
}

fn code(code: &Code) -> String {
    format!(
        "ErrorCode {{ code: {}, runtime: {:?}, driver: {:?}, text: {:?}, programs: {}, calls: {}, \
         meaning: Text {{ english: {:?}, chinese: {:?} }} }}",
        code.number,
        code.runtime,
        code.driver,
        code.text,
        code.programs,
        code.calls,
        fold(&code.en),
        fold(&code.zh),
    )
}
