//! Files of programs, each below a line `# --- what it is`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cgsan_lint::Settings;

/// One program of a file of programs.
#[derive(Debug, Default)]
pub struct Program {
    /// What it is: the line above it.
    pub name: String,
    pub settings: Settings,
    /// Its files, each with as many empty lines before it as there are lines above it: so lines are those of the whole.
    pub files: Vec<(String, String)>,
    /// Where something is to be found: line and id.
    pub marked: BTreeSet<(u32, String)>,
}

fn programs(text: &str) -> Vec<Program> {
    let mut programs: Vec<Program> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        if let Some(name) = line.strip_prefix("# --- ") {
            programs.push(Program {
                name: name.to_owned(),
                files: vec![("program.py".to_owned(), "\n".repeat(number as usize))],
                ..Program::default()
            });
            continue;
        }
        let Some(program) = programs.last_mut() else {
            panic!("line {number} belongs to no program");
        };
        if let Some(version) = line.strip_prefix("# torch: ") {
            program.settings.torch = version.parse().expect("it is a version");
        }
        if let Some(name) = line.strip_prefix("# file: ") {
            let above = "\n".repeat(number as usize);
            program.files.push((name.to_owned(), above));
            continue;
        }
        if let Some((_, ids)) = line.split_once("# cgsan: ") {
            let ids = ids.split(", ").map(|id| (number, id.to_owned()));
            program.marked.extend(ids);
        }
        if let Some((_, file)) = program.files.last_mut() {
            file.push_str(line);
            file.push('\n');
        }
    }
    programs
}

/// The files of programs in a folder, by path.
pub fn files(folder: &str) -> Vec<(PathBuf, Vec<Program>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .map(|path| {
            let text = fs::read_to_string(&path).expect("it can be read");
            (path, programs(&text))
        })
        .collect();
    files.sort_by(|a, b| a.0.cmp(&b.0));
    files
}
