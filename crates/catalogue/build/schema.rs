//! What a file of the catalogue holds.
//!
//! Facts, code and ids stand once; texts stand in a table a language (`en`), beside what they describe, so that a
//! translation adds tables and repeats nothing.

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub id: String,
    pub name: String,
    pub codes: Vec<i32>,
    pub related: Vec<String>,
    pub en: EntryTexts,
    pub fixes: Vec<Fix>,
    pub dead_ends: Vec<DeadEnd>,
    #[serde(default)]
    pub versions: Vec<Version>,
    #[serde(default)]
    pub evidence: Vec<Evidence>,
    #[serde(default)]
    pub probes: Vec<Probe>,
    #[serde(skip)]
    pub file: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryTexts {
    pub title: String,
    pub summary: String,
    pub cause: String,
    pub signal: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fix {
    pub code: String,
    pub en: FixTexts,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixTexts {
    pub title: String,
    pub explanation: String,
    pub cost: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeadEnd {
    pub en: DeadEndTexts,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeadEndTexts {
    pub attempt: String,
    pub reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Version {
    pub product: Product,
    pub from: Option<String>,
    pub until: Option<String>,
    pub basis: Basis,
    pub en: VersionTexts,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionTexts {
    pub fact: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Product {
    PyTorch,
    Cuda,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    Measured,
    Documented,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    pub case: String,
    pub en: EvidenceTexts,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceTexts {
    pub shows: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    pub call: String,
    pub mode: Mode,
    pub thread: Thread,
    pub code: i32,
    pub end: i32,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    Global,
    ThreadLocal,
    Relaxed,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thread {
    Capturing,
    Other,
}

/// Reads every file, given as name and content.
pub fn parse_all(files: &[(String, String)]) -> Result<Vec<Entry>, String> {
    files
        .iter()
        .map(|(name, content)| parse(name, content))
        .collect()
}

fn parse(name: &str, content: &str) -> Result<Entry, String> {
    let mut entry: Entry =
        toml::from_str(content).map_err(|error| format!("{name}: {}", error.to_string().trim()))?;
    name.clone_into(&mut entry.file);
    Ok(entry)
}
