//! Whether the site holds together: every link leads somewhere, and the search finds, in a real browser.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use cgsan_catalogue::{Entry, Language};
use serde_json::{Value, json};

use super::found_by::FoundBy;
use super::navigation::Navigation;
use super::path::resolve;
use super::words::words;
use super::{LANGUAGES, browser, documents, pages, write_all};
use crate::failure::{Context, Failure, Result};
use crate::workspace;

/// Writes the site and checks it. Without a browser the search is not tried, which is said.
pub fn check() -> Result<()> {
    let folder = workspace::target().join("site-check");
    let documents = documents::read()?;
    let pages = pages(&documents, &FoundBy::new());
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
        let page = super::overview::page(language, &Navigation::new(&documents));
        check_search(
            &browser,
            &folder.join(words(language).code),
            language,
            &page,
        )?;
    }
    Ok(())
}

/// The links of the pages to files that the site does not have, or to anchors that the page does not have, as `page: link`.
fn broken_links(pages: &[(String, String)]) -> Vec<String> {
    let files: BTreeMap<&str, &str> = pages
        .iter()
        .map(|(path, content)| (path.as_str(), content.as_str()))
        .collect();
    let leads_somewhere = |path: &str, link: &str| {
        let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
        let file = match file {
            "" => Some(path.to_owned()),
            file => resolve(path, file),
        };
        let content = file.and_then(|file| files.get(file.as_str()));
        content.is_some_and(|content| {
            anchor.is_empty() || content.contains(&format!(" id=\"{anchor}\""))
        })
    };
    let mut broken = Vec::new();
    for (path, content) in pages.iter().filter(|(path, _)| {
        Path::new(path)
            .extension()
            .is_some_and(|kind| kind == "html")
    }) {
        for link in links(content).filter(|link| !link.starts_with("https://")) {
            if !leads_somewhere(path, link) {
                broken.push(format!("{path}: {link}"));
            }
        }
    }
    broken
}

fn links(content: &str) -> impl Iterator<Item = &str> {
    ["href=\"", "src=\"", "action=\""]
        .into_iter()
        .flat_map(|attribute| {
            content
                .split(attribute)
                .skip(1)
                .filter_map(|rest| rest.split('"').next())
        })
}

/// Asks the search of one language for every entry in several ways.
fn check_search(browser: &Path, folder: &Path, language: Language, overview: &str) -> Result<()> {
    let questions: Vec<(String, &str)> = cgsan_catalogue::entries()
        .iter()
        .flat_map(|entry| questions(entry, language).map(|question| (question, entry.id)))
        .collect();
    let page = folder.join("check.html");
    fs::write(&page, question_page(overview, &questions))
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

/// The overview as a page that shows the best answer to each question as JSON.
fn question_page(overview: &str, questions: &[(String, &str)]) -> String {
    let asked: Vec<Value> = questions
        .iter()
        .map(|(question, _)| json!(question))
        .collect();
    let script = format!(
        "<script>document.body.textContent = JSON.stringify({}.map((question) => search(question)[0]?.id ?? \"\"));</script></body>",
        Value::from(asked).to_string().replace("</", "<\\/")
    );
    overview.replacen("</body>", &script, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_link_of_the_site_is_broken() {
        let documents = documents::read().expect("every link leads to a file");
        assert_eq!(
            broken_links(&pages(&documents, &FoundBy::new())),
            Vec::<String>::new()
        );
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
        let anchors = page("<a href=\"#b\"><a href=\"a.html#c\"><p id=\"b\">");
        assert_eq!(broken_links(&anchors), ["en/a.html: a.html#c"]);
    }
}
