//! The modules of a crate, one a file, and which of them name which.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::names::Names;

/// The path of a module inside of its crate; that of the root is empty.
type Module = Vec<String>;

/// A crate, file by file.
pub struct Crate {
    files: BTreeMap<Module, Names>,
}

impl Crate {
    /// Reads all files of a crate but those of its tests.
    pub fn read(folder: &Path) -> Crate {
        let source = folder.join("src");
        let mut files = BTreeMap::new();
        for file in files_below(&source) {
            let below = file.strip_prefix(&source).expect("it is below the folder");
            let module = module_of(below);
            if module.last().is_some_and(|it| it == "tests") {
                continue;
            }
            let text = fs::read_to_string(&file).expect("the source can be read");
            let parsed = syn::parse_file(&text).expect("the source is Rust");
            files.insert(module, Names::of(&parsed));
        }
        Crate { files }
    }

    /// Which file names which other one, each by its module; the root is `main`.
    pub fn arrows(&self) -> BTreeSet<(String, String)> {
        let mut arrows = BTreeSet::new();
        for (module, names) in &self.files {
            for path in &names.used {
                if let Some(named) = self.resolve(module, path, 0)
                    && named != *module
                {
                    arrows.insert((shown(module), shown(&named)));
                }
            }
        }
        arrows
    }

    /// The file that has what a path in a module leads to, as far as it is of this crate.
    fn resolve(&self, module: &Module, path: &[String], depth: usize) -> Option<Module> {
        let (first, rest) = path.split_first()?;
        let mut rest = rest;
        let mut at = match first.as_str() {
            "crate" => Module::new(),
            "self" => module.clone(),
            "super" => parent(module),
            name if self.has_child(module, name) => {
                rest = path;
                module.clone()
            }
            _ => return None,
        };
        while let Some((next, behind)) = rest.split_first() {
            if next == "super" {
                at = parent(&at);
            } else if self.has_child(&at, next) {
                at.push(next.clone());
            } else {
                break;
            }
            rest = behind;
        }
        // What is given on by another name is where it comes from.
        let given_on = rest
            .first()
            .and_then(|name| self.files.get(&at)?.given_on.get(name));
        match given_on {
            Some(path) if depth < 8 => {
                let path: Vec<String> = path.iter().chain(&rest[1..]).cloned().collect();
                self.resolve(&at, &path, depth + 1).or(Some(at))
            }
            _ => Some(at),
        }
    }

    fn has_child(&self, module: &Module, name: &str) -> bool {
        let mut child = module.clone();
        child.push(name.to_owned());
        self.files.contains_key(&child)
    }
}

fn parent(module: &Module) -> Module {
    module[..module.len().saturating_sub(1)].to_vec()
}

fn shown(module: &Module) -> String {
    if module.is_empty() {
        "main".to_owned()
    } else {
        module.join("::")
    }
}

fn module_of(file: &Path) -> Module {
    let parts = file.with_extension("");
    let mut module: Module = parts
        .iter()
        .map(|it| it.to_string_lossy().into_owned())
        .collect();
    let is_root = |it: &String| it == "lib" || it == "main";
    if module.last().is_some_and(|it| it == "mod")
        || (module.len() == 1 && module.iter().any(is_root))
    {
        module.pop();
    }
    module
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("its entries can be read").path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else if path.extension().is_some_and(|it| it == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}
