//! What a file of the catalogue holds.
//!
//! Facts, programs and ids stand once; texts stand in a table a language (`en`, `zh`), beside what they describe. Findings are
//! printed in English only, and so are their sentences (`says`).

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub id: String,
    pub name: String,
    #[serde(default)]
    pub aliases: Vec<String>,
    #[serde(default)]
    pub codes: Vec<i32>,
    #[serde(default)]
    pub related: Vec<String>,
    #[serde(default)]
    pub leads_to: Vec<String>,
    /// The version of PyTorch from which on it no longer happens.
    pub gone_since: Option<String>,
    #[serde(default)]
    pub words: String,
    pub en: EntryTexts,
    pub zh: EntryTexts,
    /// The sentences that findings of a run and of source have in common, by name, with `{placeholders}`.
    #[serde(default)]
    pub says: BTreeMap<String, String>,
    #[serde(default)]
    pub patterns: Vec<Pattern>,
    #[serde(default)]
    pub fixes: Vec<Fix>,
    #[serde(default)]
    pub dead_ends: Vec<DeadEnd>,
    #[serde(default)]
    pub versions: Vec<Version>,
    #[serde(default)]
    pub sources: Vec<Source>,
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
    pub question: String,
    /// Why no program of `examples/` shows it, where none does.
    pub no_program: Option<String>,
}

/// A text by which people meet the failure mode.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    #[serde(rename = "where")]
    pub place: Place,
    pub matches: String,
    #[serde(default)]
    pub with: Vec<Condition>,
    #[serde(default)]
    pub without: Vec<Condition>,
    pub weight: u8,
    /// Whether programs without graphs print it too.
    #[serde(default)]
    pub common: bool,
    pub en: PatternTexts,
    pub zh: PatternTexts,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    #[serde(rename = "where")]
    pub place: Place,
    pub matches: String,
}

/// What a claim of an entry rests on: a program, or the reason why none shows it.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    pub program: Option<&'a str>,
    pub needs_gpu: bool,
    /// How many processes, each with a GPU of its own, the program is about.
    pub ranks: u32,
    /// In English and in Chinese.
    pub untested: [Option<&'a str>; 2],
}

impl Fix {
    pub fn claim(&self) -> Claim<'_> {
        Claim {
            program: self.program.as_deref(),
            needs_gpu: self.needs_gpu,
            ranks: self.ranks,
            untested: [self.en.untested.as_deref(), self.zh.untested.as_deref()],
        }
    }
}

impl DeadEnd {
    pub fn claim(&self) -> Claim<'_> {
        Claim {
            program: self.program.as_deref(),
            needs_gpu: self.needs_gpu,
            ranks: self.ranks,
            untested: [self.en.untested.as_deref(), self.zh.untested.as_deref()],
        }
    }
}

impl Pattern {
    /// Its own expression and those of its conditions.
    pub fn expressions(&self) -> impl Iterator<Item = &str> {
        let conditions = self.with.iter().chain(&self.without);
        std::iter::once(self.matches.as_str())
            .chain(conditions.map(|condition| condition.matches.as_str()))
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    Error,
    Code,
    Call,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatternTexts {
    pub reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fix {
    pub program: Option<String>,
    #[serde(default)]
    pub needs_gpu: bool,
    #[serde(default = "one")]
    pub ranks: u32,
    pub en: FixTexts,
    pub zh: FixTexts,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixTexts {
    pub title: String,
    pub explanation: String,
    pub cost: String,
    pub untested: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeadEnd {
    pub program: Option<String>,
    #[serde(default)]
    pub needs_gpu: bool,
    #[serde(default = "one")]
    pub ranks: u32,
    pub en: DeadEndTexts,
    pub zh: DeadEndTexts,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeadEndTexts {
    pub attempt: String,
    pub reason: String,
    pub untested: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Version {
    pub product: Product,
    pub from: Option<String>,
    pub until: Option<String>,
    pub basis: Basis,
    pub en: VersionTexts,
    pub zh: VersionTexts,
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
    Nccl,
    Vllm,
    #[serde(rename = "tensorrt-llm")]
    TensorRtLlm,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    Measured,
    Documented,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    pub title: String,
    pub url: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    pub case: String,
    pub en: EvidenceTexts,
    pub zh: EvidenceTexts,
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

/// Most programs are about one process.
fn one() -> u32 {
    1
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
