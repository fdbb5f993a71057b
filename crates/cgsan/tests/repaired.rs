//! Programs as the linter's repairs leave them: they run, and cgsan finds nothing in them.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::together::watch_all;

/// What begins a program in a file of pairs, before its name.
const BEGIN: &str = "# --- ";

/// What a program holds that cannot run everywhere: a compiler of kernels, a launcher of ranks, another version of PyTorch.
const NEEDS_MORE: [&str; 3] = [
    "torch.compile(",
    "init_process_group(\"nccl\")",
    "# torch: ",
];

/// The repaired programs, by name. That repairs make these, the linter's own tests show.
fn repaired() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lint/tests/repairs");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the programs are there")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    files.sort();
    let mut programs = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("it can be read");
        let mut of = String::new();
        for part in text.split(BEGIN).skip(1) {
            let (name, program) = part.split_once('\n').expect("a program has lines");
            let runs = !NEEDS_MORE.iter().any(|it| program.contains(it));
            if name == "repaired" && runs {
                programs.push((of.clone(), program.to_owned()));
            }
            name.clone_into(&mut of);
        }
    }
    programs
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn repaired_programs_run_and_nothing_is_found_in_them() {
    let python = support::python();
    let programs = repaired();
    assert!(programs.len() >= 29, "only {} programs", programs.len());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let paths: Vec<PathBuf> = programs
        .iter()
        .enumerate()
        .map(|(number, (_, text))| {
            let path = folder.path().join(format!("program_{number}.py"));
            fs::write(&path, text).expect("it can be written");
            path
        })
        .collect();
    let mut problems = Vec::new();
    for ((name, _), watched) in programs.iter().zip(watch_all(&python, &paths)) {
        match watched {
            Err(problem) => problems.push(format!("{name}: {problem}")),
            Ok(it) if it.exit == Some(0) && it.findings.is_empty() => {}
            Ok(it) => {
                let ids: Vec<&str> = it.findings.iter().map(|found| &*found.id).collect();
                problems.push(format!(
                    "{name}: {:?}, found {ids:?}\n{}",
                    it.exit, it.stderr
                ));
            }
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}
