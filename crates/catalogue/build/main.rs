//! Turns `catalogue/CG*.toml` into static data, after checking it.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use crate::emit::References;

mod check;
mod codes;
mod emit;
mod evidence;
#[path = "../src/fingerprint.rs"]
mod fingerprint;
mod fold;
mod literals;
mod programs;
mod says;
mod schema;
mod texts;
mod truth;
mod versions;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            for line in error.to_string().lines() {
                println!("cargo::error={line}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../..");
    let folder = root.join("catalogue");
    let examples = root.join("examples");
    let recordings = root.join("tests/truth");
    watch(&folder);
    watch(&examples);
    watch(&PathBuf::from("build"));
    for file in truth::FILES {
        watch(&recordings.join(file));
    }

    let entries = schema::parse_all(&files(&folder)?)?;
    let truth = truth::read(&recordings)?;
    let programs = programs::read(&examples)?;
    check::check_all(&entries, &truth, &programs)?;
    let evidence = evidence::read(&examples.join("evidence"))?;
    evidence::check(&entries, &programs, &evidence)?;
    let versions = versions::read(&examples.join("versions.toml"))?;
    let references = References {
        truth: &truth,
        versions: &versions,
        evidence: &evidence,
        programs: &programs,
    };
    let out = Path::new(&env::var("OUT_DIR")?).join("entries.rs");
    let codes = codes::emit(
        &fs::read_to_string(folder.join("codes.toml"))?,
        &fs::read_to_string(folder.join("counts.toml"))?,
    )?;
    fs::write(
        out,
        emit::emit_all(&entries, &references)
            + &codes
            + &versions::emit_releases(&versions)
            + &says::emit_all(&entries),
    )?;
    Ok(())
}

fn watch(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

/// The name and content of every entry's file, by name.
fn files(folder: &Path) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let mut files = Vec::new();
    for item in fs::read_dir(folder)? {
        let path = item?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("CG") && name.ends_with(".toml") {
            files.push((format!("catalogue/{name}"), fs::read_to_string(&path)?));
        }
    }
    files.sort();
    Ok(files)
}
