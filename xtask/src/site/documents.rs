//! The Markdown files of the repository as pages of the site.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::markdown::{self, Surroundings, Text};
use super::path::{on_site, resolve, root};
use crate::failure::{Context, Failure, Result};
use crate::workspace;

/// The folder whose files are all pages.
const FOLDER: &str = "docs";

/// The first page.
pub const HOME: &str = "README.md";

/// A page, by the file that it is made from.
pub struct Document {
    /// The file, from the root of the repository.
    pub file: String,
    /// Where it lies on the site.
    pub path: String,
    /// What it says.
    pub text: Text,
}

/// The pages, and the files that they link to.
pub struct Documents {
    /// By file.
    pub pages: Vec<Document>,
    /// Files that lie on the site as they are.
    pub files: Vec<(String, String)>,
}

/// Reads every file under `docs`, the first page, and what these link to.
pub fn read() -> Result<Documents> {
    let mut waiting = BTreeSet::from([HOME.to_owned()]);
    collect(FOLDER, &mut waiting)?;
    let mut pages = BTreeMap::new();
    let mut files = BTreeMap::new();
    while let Some(file) = waiting.pop_first() {
        let page = document(&file)?;
        for linked in &page.links {
            if is_page(linked) {
                if !pages.contains_key(linked) {
                    waiting.insert(linked.clone());
                }
            } else if !files.contains_key(linked) {
                files.insert(linked.clone(), read_file(linked)?);
            }
        }
        pages.insert(file, page.document);
    }
    Ok(Documents {
        pages: pages.into_values().collect(),
        files: files.into_iter().collect(),
    })
}

fn is_page(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|kind| kind == "md")
}

/// The Markdown files of a folder and of those in it.
fn collect(folder: &str, files: &mut BTreeSet<String>) -> Result<()> {
    let failed = || format!("cannot read {folder}");
    for file in fs::read_dir(workspace::root().join(folder)).context(failed)? {
        let file = file.context(failed)?;
        let path = format!("{folder}/{}", file.file_name().to_string_lossy());
        if file.file_type().context(failed)?.is_dir() {
            collect(&path, files)?;
        } else if is_page(&path) {
            files.insert(path);
        }
    }
    Ok(())
}

struct Page {
    document: Document,
    /// The files of the repository that it links to.
    links: BTreeSet<String>,
}

fn document(file: &str) -> Result<Page> {
    let source = read_file(file)?;
    let mut links = Links {
        file,
        found: BTreeSet::new(),
        missing: Vec::new(),
    };
    let path = on_site(file);
    let text = markdown::render(&source, &root(&path), &mut links);
    if !links.missing.is_empty() {
        return Err(Failure::new(format!(
            "{file} links to what is no file of the repository: {}; correct the links",
            links.missing.join(", ")
        )));
    }
    Ok(Page {
        links: links.found,
        document: Document {
            file: file.to_owned(),
            path,
            text,
        },
    })
}

/// The links of a file.
struct Links<'a> {
    file: &'a str,
    found: BTreeSet<String>,
    missing: Vec<String>,
}

impl Links<'_> {
    /// The file that a link leads to, if it leads to one of the repository.
    fn target(&self, link: &str) -> Option<String> {
        let path = resolve(self.file, link)?;
        workspace::root().join(&path).is_file().then_some(path)
    }
}

impl Surroundings for Links<'_> {
    fn link(&mut self, target: &str) -> String {
        if target.starts_with("https://") || target.starts_with('#') {
            return target.to_owned();
        }
        let (path, anchor) = target
            .split_once('#')
            .map_or((target, String::new()), |(path, anchor)| {
                (path, format!("#{anchor}"))
            });
        let Some(file) = self.target(path) else {
            self.missing.push(target.to_owned());
            return String::new();
        };
        self.found.insert(file);
        format!("{}{anchor}", on_site(path))
    }

    fn shown(&mut self, target: &str) -> Option<String> {
        let is_session = Path::new(target)
            .extension()
            .is_some_and(|kind| kind == "ansi");
        let file = self.target(target).filter(|_| is_session)?;
        read_file(&file).ok()
    }
}

fn read_file(file: &str) -> Result<String> {
    fs::read_to_string(workspace::root().join(file)).context(|| format!("cannot read {file}"))
}
