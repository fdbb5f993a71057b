//! Paths within the repository and within the site, which mirror each other.

/// Where the file of a Markdown page lies on the site; other files lie where they lie in the repository.
pub fn on_site(file: &str) -> String {
    match file.strip_suffix(".md") {
        Some(page) => match page.strip_suffix("README") {
            Some(folder) => format!("{folder}index.html"),
            None => format!("{page}.html"),
        },
        None => file.to_owned(),
    }
}

/// Where a link of the file at `path` leads, from the root; `None` where it leaves it.
pub fn resolve(path: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The way from the page at `path` to the root.
pub fn root(path: &str) -> String {
    "../".repeat(path.matches('/').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_lie_where_their_files_lie() {
        assert_eq!(on_site("README.md"), "index.html");
        assert_eq!(on_site("examples/README.md"), "examples/index.html");
        assert_eq!(on_site("docs/json.md"), "docs/json.html");
        assert_eq!(on_site("LICENSE-MIT"), "LICENSE-MIT");
    }

    #[test]
    fn links_are_relative_to_their_file() {
        assert_eq!(
            resolve("docs/lint/a.md", "../ci.md").as_deref(),
            Some("docs/ci.md")
        );
        assert_eq!(
            resolve("README.md", "docs/./ci.md").as_deref(),
            Some("docs/ci.md")
        );
        assert_eq!(resolve("README.md", "../x"), None);
        assert_eq!(root("docs/lint/a.html"), "../../");
    }
}
