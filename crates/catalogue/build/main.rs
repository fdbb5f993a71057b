//! Turns `catalogue/CG*.toml` into static data, after checking it.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

mod check;
mod emit;
mod schema;
mod truth;

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
    let truth_file = root.join("tests/truth/truth.json");
    for watched in [&folder, &truth_file, &PathBuf::from("build")] {
        println!("cargo::rerun-if-changed={}", watched.display());
    }

    let entries = schema::parse_all(&files(&folder)?)?;
    let truth = truth::parse(&fs::read_to_string(&truth_file)?)?;
    check::check_all(&entries, &truth)?;
    let out = Path::new(&env::var("OUT_DIR")?).join("entries.rs");
    fs::write(out, emit::emit_all(&entries, &truth))?;
    Ok(())
}

/// The name and content of every file, by name.
fn files(folder: &Path) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let mut files = Vec::new();
    for item in fs::read_dir(folder)? {
        let path = item?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            files.push((format!("catalogue/{name}"), fs::read_to_string(&path)?));
        }
    }
    files.sort();
    Ok(files)
}
