//! `examples/versions.toml`: what each program did in each version of PyTorch, as `cargo xtask matrix` writes it.

use std::error::Error;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::fingerprint::fingerprint;
use crate::programs::Programs;
use crate::schema::Entry;

/// The file's content.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Versions {
    versions: Vec<Release>,
    programs: Vec<Program>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Release {
    pytorch: String,
    cuda: String,
    python: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    path: String,
    fingerprint: String,
    results: Vec<InVersions>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct InVersions {
    versions: Vec<String>,
    end: End,
    call: Option<Call>,
    exception: Option<String>,
    #[serde(default)]
    findings: Vec<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum End {
    Well,
    RefusedByCuda,
    Refused,
    Hang,
    Crash,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    function: String,
    code: i32,
}

/// Reads the file. There may be none yet.
pub fn read(file: &Path) -> Result<Versions, Box<dyn Error>> {
    if !file.exists() {
        return Ok(Versions::default());
    }
    toml::from_str(&fs::read_to_string(file)?)
        .map_err(|error| format!("{}: {error}", file.display()).into())
}

/// The source of `static RELEASES: &[Release]`.
pub fn emit_releases(versions: &Versions) -> String {
    let releases: Vec<String> = versions
        .versions
        .iter()
        .map(|it| {
            format!(
                "Release {{ pytorch: {:?}, cuda: {:?}, python: {:?} }}",
                it.pytorch, it.cuda, it.python
            )
        })
        .collect();
    format!(
        "pub static RELEASES: &[Release] = &[{}];\n",
        releases.join(",\n")
    )
}

/// The source of the cases of an entry, but for those of an earlier text of their program.
pub fn emit(versions: &Versions, entry: &Entry, programs: &Programs) -> String {
    let now = |case: &&Program| {
        programs.iter().any(|((id, _), program)| {
            *id == entry.id
                && program.path == case.path
                && fingerprint(&program.source) == case.fingerprint
        })
    };
    let cases: Vec<String> = versions
        .programs
        .iter()
        .filter(now)
        .map(|case| {
            let results: Vec<String> = case.results.iter().map(result).collect();
            format!(
                "Case {{ path: {:?}, results: &[{}] }}",
                case.path,
                results.join(", ")
            )
        })
        .collect();
    format!("&[{}]", cases.join(",\n"))
}

fn result(result: &InVersions) -> String {
    let call = result.call.as_ref().map_or_else(
        || "None".to_owned(),
        |call| {
            format!(
                "Some(RefusedCall {{ function: {:?}, code: {} }})",
                call.function, call.code
            )
        },
    );
    format!(
        "InVersions {{ versions: &{:?}, end: End::{:?}, call: {call}, exception: {:?}, findings: &{:?} }}",
        result.versions, result.end, result.exception, result.findings
    )
}
