//! Whether the site holds together: every link leads somewhere, and the search finds, in a real browser.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cgsan_catalogue::{Entry, Language};
use serde_json::{Value, json};

use super::found_by::FoundBy;
use super::words::words;
use super::{LANGUAGES, browser, pages, write_all};
use crate::failure::{Context, Failure, Result};
use crate::workspace;

/// Writes the site and checks it. Without a browser the search is not tried, which is said.
pub fn check() -> Result<()> {
    let folder = workspace::target().join("site-check");
    let pages = pages(&FoundBy::new());
    write_all(&folder, &pages)?;
    let broken = broken_links(&pages);
    if !broken.is_empty() {
        return Err(Failure::new(format!(
            "links of the site that lead nowhere:\n  {}",
            broken.join("\n  ")
        )));
    }
    let Some(browser) = browser::find() else {
        eprintln!("no Chromium found: the site's search was not tried in a browser");
        return Ok(());
    };
    for language in LANGUAGES {
        check_search(&browser, &folder.join(words(language).code), language)?;
    }
    Ok(())
}

/// The links of the pages to files that the site does not have, as `page: link`.
fn broken_links(pages: &[(String, String)]) -> Vec<String> {
    let files: BTreeSet<&str> = pages.iter().map(|(path, _)| path.as_str()).collect();
    let mut broken = Vec::new();
    for (path, content) in pages.iter().filter(|(path, _)| {
        Path::new(path)
            .extension()
            .is_some_and(|kind| kind == "html")
    }) {
        for link in links(content).filter(|link| !link.starts_with("https://")) {
            if !files.contains(resolve(path, link).as_str()) {
                broken.push(format!("{path}: {link}"));
            }
        }
    }
    broken
}

fn links(content: &str) -> impl Iterator<Item = &str> {
    ["href=\"", "src=\""].into_iter().flat_map(|attribute| {
        content
            .split(attribute)
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
    })
}

/// Where a link of the page at `path` leads, from the site's root.
fn resolve(path: &str, link: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// Asks the search of one language for every entry in several ways.
fn check_search(browser: &Path, folder: &Path, language: Language) -> Result<()> {
    let questions: Vec<(String, &str)> = cgsan_catalogue::entries()
        .iter()
        .flat_map(|entry| questions(entry, language).map(|question| (question, entry.id)))
        .collect();
    let page = folder.join("check.html");
    fs::write(&page, question_page(language, &questions))
        .context(|| format!("cannot write {}", page.display()))?;
    let shown = browser::text(browser, &page)?;
    let _ = fs::remove_file(&page);
    let answers: Vec<String> = serde_json::from_str(&shown)
        .context(|| "the browser did not show the search's answers".to_owned())?;
    if answers.len() != questions.len() {
        return Err(Failure::new(
            "the browser answered fewer questions than it was asked",
        ));
    }
    let wrong: Vec<String> = questions
        .iter()
        .zip(&answers)
        .filter(|((_, id), answer)| id != answer)
        .map(|((question, id), answer)| format!("`{question}` finds {answer} and not {id}"))
        .collect();
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(Failure::new(wrong.join("\n  ")))
    }
}

/// Questions whose best answer is the entry.
fn questions(entry: &'static Entry, language: Language) -> impl Iterator<Item = String> {
    [entry.id, entry.name, entry.title.in_language(language)]
        .into_iter()
        .chain(entry.aliases.iter().copied())
        .map(str::to_owned)
}

/// A page with the search that shows the best answer to each question as JSON.
fn question_page(language: Language, questions: &[(String, &str)]) -> String {
    let asked: Vec<Value> = questions
        .iter()
        .map(|(question, _)| json!(question))
        .collect();
    let script = format!(
        "<script>document.body.textContent = JSON.stringify({}.map((question) => search(question)[0]?.id ?? \"\"));</script></body>",
        Value::from(asked).to_string().replace("</", "<\\/")
    );
    super::overview::page(language).replacen("</body>", &script, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_link_of_the_site_is_broken() {
        assert_eq!(broken_links(&pages(&FoundBy::new())), Vec::<String>::new());
    }

    #[test]
    fn a_broken_link_is_seen() {
        let page = |content: &str| vec![("en/a.html".to_owned(), content.to_owned())];
        assert_eq!(
            broken_links(&page("<a href=\"a.html\">")),
            Vec::<String>::new()
        );
        assert_eq!(
            broken_links(&page("<a href=\"../a.html\">")),
            ["en/a.html: ../a.html"]
        );
        assert_eq!(
            broken_links(&page("<script src=\"b.js\">")),
            ["en/a.html: b.js"]
        );
    }
}
