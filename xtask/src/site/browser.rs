//! A real browser, without a window.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Context, Failure, Result};
use crate::workspace;

/// The names under which Chromium is installed.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// The browser on this machine, if there is one.
pub fn find() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    NAMES
        .iter()
        .flat_map(|name| env::split_paths(&path).map(move |folder| folder.join(name)))
        .find(|file| file.is_file())
}

/// The text of a page of this disk after its scripts have run.
pub fn text(browser: &Path, page: &Path) -> Result<String> {
    let profile = workspace::target().join("site-check-profile");
    let output = Command::new(browser)
        .args([
            "--headless",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--virtual-time-budget=5000",
            // The pages are this repository's own, and the sandbox refuses to run as root, as containers do.
            "--no-sandbox",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .context(|| format!("cannot start {}", browser.display()))?;
    let shown = String::from_utf8_lossy(&output.stdout);
    body(&shown)
        .ok_or_else(|| Failure::new(format!("the browser showed no page for {}", page.display())))
}

/// The text of a document's body, whose markup is escapes alone.
fn body(document: &str) -> Option<String> {
    let body = document.split_once("<body>")?.1.split_once("</body>")?.0;
    Some(
        body.replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_body() {
        let document = "<html><head></head><body>[\"a &amp;lt; b\"]</body></html>";
        assert_eq!(body(document).as_deref(), Some("[\"a &lt; b\"]"));
        assert_eq!(body("nothing"), None);
    }
}
