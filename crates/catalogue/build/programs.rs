//! The programs under `examples/` that show what a fix or a dead end does.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use crate::schema::Entry;

/// A program's file, from the repository's root, and its source.
#[derive(Debug)]
pub struct Program {
    pub path: String,
    pub source: String,
}

/// The programs by the folder's id (`CG106`) and the file's name without `.py`.
pub type Programs = BTreeMap<(String, String), Program>;

/// Reads every program in a folder named after an id.
pub fn read(examples: &Path) -> io::Result<Programs> {
    let mut programs = Programs::new();
    for folder in fs::read_dir(examples)? {
        let folder = folder?.path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let Some((id, _)) = name.split_once('_').filter(|_| folder.is_dir()) else {
            continue;
        };
        for file in fs::read_dir(&folder)? {
            let file = file?.path();
            if file.extension().is_some_and(|extension| extension == "py") {
                let stem = file.file_stem().unwrap_or_default().to_string_lossy();
                let program = Program {
                    path: format!("examples/{name}/{stem}.py"),
                    source: fs::read_to_string(&file)?,
                };
                programs.insert((id.to_ascii_uppercase(), stem.into_owned()), program);
            }
        }
    }
    Ok(programs)
}

/// The program of that name that belongs to an entry.
pub fn find<'a>(programs: &'a Programs, entry: &Entry, name: &str) -> Option<&'a Program> {
    programs.get(&(entry.id.clone(), name.to_owned()))
}
