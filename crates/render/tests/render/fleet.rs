//! The page of ranks and steps, also in a real browser.

use cgsan_render::{Fleet, FleetRank, FleetStep, fleet};

use crate::html::{EVIL, contents, in_browser, with_script};

/// Ranks on machines with eight each. All wait in a collective for rank 7, which works longer in each seventh step; rank 3 does not end
/// its last step.
fn ranks(ranks: u32, steps: u32) -> Fleet {
    let step = |rank: u32, step: u32| {
        let late = step.is_multiple_of(7);
        let host = if late && rank == 7 { 30e6 } else { 1e6 };
        let lasted = if late { 32e6 } else { 3e6 };
        let (spent_on, spent) = if host > lasted / 2.0 {
            (0, host)
        } else {
            (3, lasted - host)
        };
        FleetStep {
            step,
            lasted,
            host,
            spent,
            place: Some(0),
            spent_on,
            is_over: rank != 3 || step < steps,
        }
    };
    let rank = |rank: u32| FleetRank {
        name: format!("rank {rank}"),
        host: format!("node-{}", rank / 8),
        findings: if rank == 3 {
            vec!["CG405".to_owned()]
        } else {
            Vec::new()
        },
        steps: (1..=steps).map(|it| step(rank, it)).collect(),
    };
    Fleet {
        ranks: (0..ranks).map(rank).collect(),
        places: vec!["train.py:44 in step".to_owned()],
    }
}

fn told(shown: &str) -> String {
    contents(shown, "<pre id=\"said\">", "</pre>").join("\n")
}

#[test]
fn the_page_says_in_words_who_was_waited_for() {
    let page = fleet(&ranks(16, 21));
    for expected in [
        "The others waited longest for rank 7 (node-0): it was the last in 3 steps, by 87.0 ms in all.",
        "<th scope=\"row\">rank 7</th><td>node-0</td><td>3 steps</td><td>87.0 ms</td><td>7</td>",
        "The median of all steps is 3.00 ms.",
        "Not seen to end: 1 step",
    ] {
        assert!(page.contains(expected), "{expected} is not in {page}");
    }
    assert!(
        !page.contains("://"),
        "nothing is fetched, and nothing links out"
    );
    assert_eq!(
        page.matches("<script").count(),
        2,
        "the data and the script"
    );
}

#[test]
fn a_page_without_steps_says_so() {
    let page = fleet(&Fleet::default());
    assert!(page.contains("No steps were recorded"), "{page}");
    if let Some(shown) = in_browser(&page, "") {
        assert!(shown.contains("<canvas"), "{shown}");
    }
}

#[test]
fn what_the_program_says_is_text_on_it() {
    let mut evil = ranks(4, 3);
    evil.places[0] = EVIL.to_owned();
    evil.ranks[1].host = EVIL.to_owned();
    evil.ranks[2].findings = vec![EVIL.to_owned()];
    let page = fleet(&evil);
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("<img").count(), 0);
    let Some(shown) = in_browser(&page, "") else {
        eprintln!("no Chromium: the page was not opened");
        return;
    };
    assert!(shown.contains("<canvas") && !shown.contains("<title>taken"));
}

#[test]
fn a_thousand_ranks_by_a_thousand_steps_are_drawn_and_led_through_by_the_keyboard() {
    let script = r#"
        const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
        const said = [];
        const say = (what) => said.push(`${what}: ${[...document.querySelectorAll(".chosen p")].map((it) => it.textContent).join(" | ")}`);
        const canvas = document.querySelector("canvas");
        canvas.focus();
        for (const key of ["ArrowRight", "ArrowRight", "ArrowDown", "PageDown", "End", "Home"]) {
            press(key);
            say(key);
        }
        const button = (text) => [...document.querySelectorAll("button")].find((it) => it.textContent === text);
        button("Next late one").click();
        say("Next late one");
        const search = document.querySelector("input[type=search]");
        search.value = "node-0 CG405";
        search.dispatchEvent(new Event("input"));
        said.push(document.querySelector(".tools output").value);
        canvas.focus();
        press("ArrowDown");
        press("End");
        say("End of the only row");
        search.value = "";
        search.dispatchEvent(new Event("input"));
        for (const select of document.querySelectorAll("select")) {
            for (const option of [...select.options].reverse()) {
                select.value = option.value;
                select.dispatchEvent(new Event("change"));
            }
        }
        for (const button of document.querySelectorAll(".tools button")) button.click();
        canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -300, clientX: 300, cancelable: true }));
        requestAnimationFrame(() => requestAnimationFrame(() => {
            const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
            said.push(new Set(pixels).size > 3 ? "painted" : "empty");
            document.body.append(Object.assign(document.createElement("pre"), { id: "said", textContent: said.join("\n") }));
        }));
    "#;
    let page = fleet(&ranks(1000, 1000));
    assert!(page.len() < 14_000_000, "{} bytes", page.len());
    let Some(shown) = in_browser(&with_script(&page, script), "") else {
        eprintln!("no Chromium: the page was not opened");
        return;
    };
    insta::assert_snapshot!(told(&shown));
}
