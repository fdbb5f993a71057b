//! `cargo xtask site`: the catalogue as a static site that needs no server, no network and no script to be read.

mod browser;
mod check;
mod entry_page;
mod found_by;
mod index;
mod layout;
mod overview;
mod text;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use cgsan_catalogue::Language;
use clap::Args;

pub use self::check::check;
use self::found_by::FoundBy;
use self::words::words;
use crate::cargo::{self, Profile};
use crate::failure::{Context, Result};
use crate::workspace;

/// The languages of the site, each in a folder of its own, in the order in which a reader is offered them.
const LANGUAGES: [Language; 2] = [Language::English, Language::Chinese];

/// What `cargo xtask site` takes.
#[derive(Args)]
pub struct Options {
    /// The folder that the site is written to
    #[arg(long, value_name = "FOLDER", default_value = "target/site")]
    out: PathBuf,

    /// Only check that every link leads somewhere and, in Chromium if there is one, that the search finds
    #[arg(long, conflicts_with = "out")]
    check: bool,
}

/// Writes every page and every index.
pub fn run(options: &Options) -> Result<()> {
    if options.check {
        return check();
    }
    let folder = workspace::root().join(&options.out);
    let cgsan = cargo::build_cgsan(Profile::Development)?;
    let pages = pages(&found_by::ask(&cgsan)?);
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
fn pages(found_by: &FoundBy) -> Vec<(String, String)> {
    let entries = cgsan_catalogue::entries();
    let mut pages = vec![
        ("index.html".to_owned(), overview::choice()),
        (
            "style.css".to_owned(),
            include_str!("assets/style.css").to_owned(),
        ),
        (
            "search.js".to_owned(),
            include_str!("assets/search.js").to_owned(),
        ),
        ("index.json".to_owned(), index::json(entries)),
        ("index.ndjson".to_owned(), index::ndjson(entries)),
        ("llms.txt".to_owned(), index::llms(entries)),
    ];
    for language in LANGUAGES {
        let folder = words(language).code;
        pages.push((format!("{folder}/index.html"), overview::page(language)));
        pages.push((
            format!("{folder}/entries.js"),
            index::script(entries, language),
        ));
        pages.extend(entries.iter().map(|entry| {
            (
                format!("{folder}/{}.html", entry.id),
                entry_page::page(entry, found_by, language),
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
