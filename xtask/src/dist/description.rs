//! What an index shows of the package: README.md, outside of the repository that its links lead through.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag};

/// The metadata of a wheel for a project with this public address: with it, and with links that lead there. Where there is no
/// address, links into the repository become plain text.
pub fn described(metadata: &str, version: &str, project: Option<&str>) -> String {
    let (fields, page) = metadata.split_once("\n\n").unwrap_or((metadata, ""));
    let url = project.map_or(String::new(), |project| {
        format!("\nProject-URL: Repository, {project}")
    });
    let target = |path: &str| Some(format!("{}/blob/v{version}/{path}", project?));
    format!("{fields}{url}\n\n{}", with_links(page, target))
}

/// A page whose links to files lead to what `target` says, or are their text if it says nothing.
fn with_links(page: &str, target: impl Fn(&str) -> Option<String>) -> String {
    let mut links: Vec<(Range<usize>, String)> = Vec::new();
    for (event, range) in Parser::new(page).into_offset_iter() {
        if let Event::Start(Tag::Link { dest_url, .. }) = event
            && !dest_url.contains("://")
            && !dest_url.starts_with('#')
        {
            links.push((range, dest_url.into_string()));
        }
    }
    let mut result = page.to_owned();
    // From the end on, so that what is before stays where it is.
    for (range, path) in links.into_iter().rev() {
        let link = &page[range.clone()];
        let Some(text) = link.strip_suffix(&format!("]({path})")) else {
            continue;
        };
        let new = match target(&path) {
            Some(target) => format!("{text}]({target})"),
            None => text.trim_start_matches('[').to_owned(),
        };
        result.replace_range(range, &new);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::described;

    const METADATA: &str = "Name: cgsan\nVersion: 0.1.0\n\n# cgsan\n\nIn [CI](docs/ci.md), [here](#here), [there](https://example.org/).\n";

    #[test]
    fn links_lead_to_the_project() {
        let text = described(METADATA, "0.1.0", Some("https://example.org/cgsan"));
        assert!(text.contains("\nProject-URL: Repository, https://example.org/cgsan\n\n# cgsan"));
        assert!(text.contains(
            "In [CI](https://example.org/cgsan/blob/v0.1.0/docs/ci.md), [here](#here), [there](https://example.org/)."
        ));
    }

    #[test]
    fn without_an_address_no_link_leads_nowhere() {
        let text = described(METADATA, "0.1.0", None);
        assert!(text.contains("In CI, [here](#here), [there](https://example.org/)."));
        assert!(!text.contains("Project-URL"));
    }
}
