//! `cargo xtask site`: the documentation and the catalogue as one static site that needs no server, no network and no script to
//! be read.
//!
//! The site mirrors the repository: `docs/json.md` becomes `docs/json.html`, and a file that a page links to lies where it lies here.
//! The catalogue has a folder for each language.

mod browser;
mod check;
mod documents;
mod entry_page;
mod found_by;
mod index;
mod layout;
mod markdown;
mod matrix_page;
mod navigation;
mod overview;
mod path;
mod terminal;
mod text;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use cgsan_catalogue::Language;
use clap::Args;

pub use self::check::check;
use self::documents::Documents;
use self::found_by::FoundBy;
use self::layout::Page;
use self::navigation::Navigation;
use self::words::words;
use crate::cargo::{self, Profile};
use crate::failure::{Context, Result};
use crate::guide;
use crate::workspace;

/// The languages of the site, each in a folder of its own, in the order in which a reader is offered them.
const LANGUAGES: [Language; 2] = [Language::English, Language::Chinese];

/// What `cargo xtask site` takes.
#[derive(Args)]
pub struct Options {
    /// The folder that the site is written to
    #[arg(long, value_name = "FOLDER", default_value = "target/site")]
    out: PathBuf,

    /// Only check that every link and anchor leads somewhere and, in Chromium if there is one, that the search finds
    #[arg(long, conflicts_with = "out")]
    check: bool,

    /// Only run the commands of the guide's first page, and keep what they print as the session that the site shows
    #[arg(long, conflicts_with_all = ["out", "check"])]
    record: bool,
}

/// Writes every page and every index.
pub fn run(options: &Options) -> Result<()> {
    if options.check {
        return check();
    }
    if options.record {
        return guide::record();
    }
    let folder = workspace::root().join(&options.out);
    let cgsan = cargo::build_cgsan(Profile::Development)?;
    let pages = pages(&documents::read()?, &found_by::ask(&cgsan)?);
    write_all(&folder, &pages)?;
    println!(
        "{} files in {}; open {}",
        pages.len(),
        folder.display(),
        folder.join("index.html").display()
    );
    Ok(())
}

/// Every file of the site by its path, with its content.
fn pages(documents: &Documents, found_by: &FoundBy) -> Vec<(String, String)> {
    let entries = cgsan_catalogue::entries();
    let navigation = Navigation::new(documents);
    let fixed = [
        ("style.css", include_str!("assets/style.css").to_owned()),
        ("search.js", include_str!("assets/search.js").to_owned()),
        ("pages.js", index::pages(&navigation)),
        ("index.json", index::json(entries)),
        ("index.ndjson", index::ndjson(entries)),
        ("llms.txt", index::llms(entries, &navigation)),
    ];
    let mut pages: Vec<(String, String)> = fixed
        .into_iter()
        .map(|(path, content)| (path.to_owned(), content))
        .collect();
    pages.extend(documents.pages.iter().map(|document| {
        let page = Page {
            path: &document.path,
            language: Language::English,
            in_languages: None,
            title: &document.text.title,
            content: &document.text.body,
        };
        (document.path.clone(), page.show(&navigation))
    }));
    pages.extend(documents.files.iter().cloned());
    for language in LANGUAGES {
        let folder = words(language).code;
        pages.push((
            format!("{folder}/index.html"),
            overview::page(language, &navigation),
        ));
        pages.push((
            format!("{folder}/{}", matrix_page::FILE),
            matrix_page::page(language, &navigation),
        ));
        pages.push((
            format!("{folder}/entries.js"),
            index::script(entries, language),
        ));
        pages.extend(entries.iter().map(|entry| {
            (
                format!("{folder}/{}.html", entry.id),
                entry_page::page(entry, found_by, language, &navigation),
            )
        }));
    }
    pages
}

fn write_all(folder: &Path, pages: &[(String, String)]) -> Result<()> {
    for (path, content) in pages {
        let path = folder.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).context(|| format!("cannot make {}", folder.display()))?;
        }
        fs::write(&path, content).context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
