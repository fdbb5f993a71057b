//! A report as a page, also in a real browser.

use std::path::PathBuf;
use std::process::Command;

use base64::Engine as _;
use cgsan_finding::{CapturedGraph, Environment, Outcome, Report};
use cgsan_render::{Ending, Options, Run, html};
use sha2::{Digest as _, Sha256};

use crate::{graphs, memory, sample};

/// What a program may have named its files, kernels and streams, to get out of the places where they are shown.
pub(crate) const EVIL: &str = "\"'></script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">&lt;\u{1b}[2J\u{202e}";

fn page(report: &Report) -> String {
    let run = Run {
        program: vec!["python".to_owned(), "train.py".to_owned()],
        ending: Ending::NoProgress(123),
        environments: vec![Environment {
            torch: "2.11.0+cu130".to_owned(),
            python: "3.12.3".to_owned(),
            device: "virtual NVIDIA H100 80GB HBM3".to_owned(),
            host: Some("node7".to_owned()),
            started: 1_772_355_907,
        }],
    };
    let source = "import torch\n\n\nx = 1\n\ny = 2\n".repeat(8);
    html(report, &run, &options(), &mut |_| Some(source.clone()))
}

fn options() -> Options {
    Options {
        directory: Some("/home/user/project".to_owned()),
        several_processes: true,
        ..Options::default()
    }
}

/// A finding, a graph of each of two ranks, and memory.
fn everything() -> Report {
    let mut other = graphs::two_streams();
    other.process.pid += 1;
    other.process.rank = Some(1);
    other.outcome = Outcome::Failed;
    Report {
        graphs: Some(vec![graphs::two_streams(), other]),
        memory: Some(vec![memory::two_graphs()]),
        ..sample::other_thread()
    }
}

/// The same, with everything that the program chose in the worst way.
fn evil() -> Report {
    let mut report = everything();
    for finding in &mut report.findings {
        EVIL.clone_into(&mut finding.title);
        finding.notes.push(EVIL.to_owned());
        for label in &mut finding.labels {
            EVIL.clone_into(&mut label.text);
            label.location.file = EVIL.into();
        }
    }
    let bad = |graph: &mut CapturedGraph| {
        graph.streams = vec![EVIL.to_owned(); 2];
        graph
            .places
            .iter_mut()
            .for_each(|it| EVIL.clone_into(&mut it.function));
        graph
            .nodes
            .iter_mut()
            .for_each(|it| it.name = Some(EVIL.to_owned()));
        graph
            .events
            .iter_mut()
            .for_each(|it| EVIL.clone_into(&mut it.text));
        graph.process.command = vec![EVIL.to_owned()];
    };
    report.graphs.iter_mut().flatten().for_each(bad);
    report
}

/// The content of the elements of a name that have these attributes.
pub(crate) fn contents<'p>(page: &'p str, begin: &str, end: &str) -> Vec<&'p str> {
    let parts = page.split(begin).skip(1);
    parts
        .filter_map(|part| Some(part.split_once(end)?.0))
        .collect()
}

#[test]
fn the_policy_names_exactly_the_style_and_the_script_of_the_page() {
    let page = page(&everything());
    let policy = contents(&page, "Content-Security-Policy\" content=\"", "\"");
    let hash = |content: &str| {
        let digest = Sha256::digest(content);
        format!(
            "&#39;sha256-{}&#39;",
            base64::engine::general_purpose::STANDARD.encode(digest)
        )
    };
    let policy = policy[0].replace('\'', "&#39;");
    let [style] = contents(&page, "<style>", "</style>")[..] else {
        panic!("one style");
    };
    let [script] = contents(&page, "<script>", "</script>")[..] else {
        panic!("one script");
    };
    assert!(
        policy.contains(&format!("style-src {}", hash(style))),
        "{policy}"
    );
    assert!(
        policy.contains(&format!("script-src {}", hash(script))),
        "{policy}"
    );
    assert!(policy.starts_with("default-src &#39;none&#39;"), "{policy}");
    assert!(
        !page
            .replace("http://www.w3.org/2000/svg", "")
            .contains("://"),
        "nothing is fetched, and nothing links out"
    );
}

#[test]
fn what_the_program_says_is_text() {
    let page = page(&evil());
    assert_eq!(
        page.matches("<script").count(),
        2,
        "the data and the script"
    );
    assert_eq!(page.matches("<img").count(), 0);
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
    let data = contents(&page, "type=\"application/json\">", "</script>");
    let data: serde_json::Value = serde_json::from_str(data[0]).expect("JSON");
    let name = data["graphs"][0]["streams"][0].as_str().expect("a stream");
    assert!(name.starts_with("\"'></script><script>"), "{name}");
}

#[test]
fn a_finding_leads_to_its_capture_and_has_what_the_catalogue_says() {
    let page = page(&everything());
    for expected in [
        "href=\"#graphs\"",
        "id=\"graph-2\"",
        "Ranks side by side",
        "What CG112 is",
        "Fix: ",
        "Does not help: ",
        "In order",
        "most reserved",
    ] {
        assert!(page.contains(expected), "{expected}");
    }
    insta::assert_snapshot!(without_assets(&page));
}

#[test]
fn the_top_says_what_ran_on_what_and_lists_the_findings_with_their_lines() {
    let page = page(&everything());
    let (top, rest) = page.split_once("</header>").expect("a top");
    for (name, value) in [
        ("Program", "<code>python train.py</code>"),
        (
            "Ended",
            "made no progress and was ended by cgsan, which exited with status 123",
        ),
        ("Started", "2026-03-01 09:05:07 UTC"),
        ("PyTorch", "2.11.0+cu130"),
        ("Python", "3.12.3"),
        ("GPU", "virtual NVIDIA H100 80GB HBM3"),
        ("Machine", "node7"),
        ("cgsan", env!("CARGO_PKG_VERSION")),
    ] {
        let row = format!("<dt>{name}</dt><dd>{value}</dd>");
        assert!(top.contains(&row), "{row}");
    }
    let links = contents(top, "<a href=\"#finding-", "\"");
    let headings = contents(rest, "<h3 id=\"finding-", "</h3>");
    assert_eq!(links.len(), everything().findings.len());
    assert_eq!(links.len(), headings.len());
    for (link, heading) in links.iter().zip(headings) {
        assert!(rest.contains(&format!("id=\"finding-{link}\"")), "{link}");
        let place = contents(heading, "<span class=\"place\">", "</span>");
        assert_eq!(place.len(), 1, "{heading}");
        assert!(top.contains(place[0]), "{} at the top", place[0]);
    }
}

#[test]
fn a_page_about_nothing_says_so() {
    let page = page(&Report::default());
    assert!(page.contains("Nothing was found."));
    assert!(page.contains("No capture began."));
    assert!(!page.contains("id=\"memory\"") && !page.contains("id=\"ranks\""));
}

#[test]
fn more_nodes_than_a_page_holds_are_counted_and_not_drawn() {
    let mut large = graphs::two_streams();
    let node = large.nodes[0].clone();
    large.nodes = vec![node; 200_001];
    let report = Report {
        graphs: Some(vec![large, graphs::two_streams()]),
        ..Report::default()
    };
    let page = page(&report);
    assert!(page.contains("too large to be drawn here"));
    assert!(page.len() < 200_000, "{} bytes", page.len());
}

/// The page after its scripts have run in a browser; `None` where none is installed.
pub(crate) fn in_browser(page: &str, fragment: &str) -> Option<String> {
    let browser = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok())?;
    let folder = tempfile::tempdir().expect("a folder");
    let file: PathBuf = folder.path().join("report.html");
    std::fs::write(&file, page).expect("a page");
    let output = Command::new(browser)
        .args([
            "--headless",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--virtual-time-budget=3000",
            // The page is the test's own, and the sandbox refuses to run as root, as containers do.
            "--no-sandbox",
            "--dump-dom",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.path().join("profile").display()
        ))
        .arg(format!("file://{}{fragment}", file.display()))
        .output()
        .expect("the browser starts");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_browser_draws_the_graph_that_the_address_names() {
    let Some(shown) = in_browser(&page(&everything()), "#graph-2") else {
        eprintln!("no Chromium: the page was not opened");
        return;
    };
    assert!(shown.contains("<canvas"), "{shown}");
    assert!(shown.contains("aria-label=\"graph 1 of rank 1, train.py:19: 4 nodes on 2 streams."));
    assert!(shown.contains("id=\"nodes-3\"") && !shown.contains("id=\"nodes-4\""));
    assert!(shown.contains("stream 3 waits for stream 2"));
}

/// The page with a script of the test's, which its policy would refuse.
pub(crate) fn with_script(page: &str, script: &str) -> String {
    let policy = "<meta http-equiv=\"Content-Security-Policy\"";
    let (before, after) = page.split_once(policy).expect("a policy");
    let (_, after) = after.split_once('>').expect("the end of a tag");
    let script = format!("<script>{script}</script></body>");
    format!("{before}{}", after.replace("</body>", &script))
}

#[test]
fn the_keyboard_and_the_search_lead_from_node_to_node() {
    let script = r#"
        const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        const said = [];
        const say = (what) => said.push(`${what}: ${document.querySelector(".chosen p").textContent}`);
        const canvas = document.querySelector("canvas");
        canvas.focus();
        for (const key of ["ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp", "End", "Home"]) {
            press(key);
            say(key);
        }
        const search = document.querySelector("input[aria-label='Search nodes']");
        search.focus();
        search.value = "COS kernel";
        search.dispatchEvent(new Event("input"));
        say(document.querySelector(".tools output").value);
        press("Enter");
        say("Enter");
        search.value = "";
        search.dispatchEvent(new Event("input"));
        document.querySelector(".rows.nodes").focus();
        press("End");
        say("End of the list");
        for (const button of document.querySelectorAll(".tools button")) button.click();
        canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -300, clientX: 300, cancelable: true }));
        document.body.append(Object.assign(document.createElement("pre"), { id: "said", textContent: said.join("\n") }));
    "#;
    let Some(shown) = in_browser(&with_script(&page(&everything()), script), "#graph-1") else {
        eprintln!("no Chromium: the page was not opened");
        return;
    };
    let said = contents(&shown, "<pre id=\"said\">", "</pre>");
    insta::assert_snapshot!(said[0]);
}

#[test]
fn a_browser_runs_nothing_that_the_program_named() {
    let page = page(&evil());
    // Even if markup of the program's came into the page, the policy would not let it run.
    let worse = page.replace("<main>", &format!("<main>{EVIL}"));
    let shown = [page, worse].map(|page| in_browser(&page, ""));
    let [Some(page), Some(worse)] = shown else {
        eprintln!("no Chromium: the page was not opened");
        return;
    };
    for shown in [page, worse] {
        assert!(shown.contains("<canvas"), "{shown}");
        assert!(!shown.contains("<title>taken"), "{shown}");
    }
}

/// The page without style, script and pictures, which have tests of their own.
fn without_assets(page: &str) -> String {
    let mut rest = page.to_owned();
    for (begin, end) in [
        ("<style>", "</style>"),
        ("<script>", "</script>"),
        ("<svg", "</svg>"),
        ("sha256-", "'"),
        ("sha256-", "'"),
    ] {
        if let Some(at) = rest.find(begin)
            && let Some(length) = rest[at..].find(end)
        {
            rest.replace_range(at..at + length, "…");
        }
    }
    rest.replace("><", ">\n<")
}
