//! Who held memory when, as a picture.

use cgsan_finding::{CaptureSpan, MemoryTimeline, MemoryUse, PoolChange};
use cgsan_render::{Options, memory_timeline};
use roxmltree::{Document, Node};

use crate::memory::{MIB, two_graphs};

fn drawn(uses: &[MemoryUse]) -> String {
    let options = Options {
        directory: Some("/home/user/project".to_owned()),
        several_processes: uses.len() > 1,
        ..Options::default()
    };
    memory_timeline(uses, &options)
}

fn parsed(picture: &str) -> Document<'_> {
    Document::parse(picture).expect("the picture is XML")
}

/// The texts of a picture, those that are shown when one points at something included.
fn texts(picture: &str) -> Vec<String> {
    let document = parsed(picture);
    let texts = document.descendants().filter(Node::is_text);
    texts
        .filter_map(|it| it.text().map(str::to_owned))
        .collect()
}

/// The highest point of all shapes: the smallest number of a line up or down.
fn highest(picture: &str) -> f64 {
    let document = parsed(picture);
    let shapes = document.descendants().filter_map(|it| it.attribute("d"));
    let heights = shapes.flat_map(|shape| {
        let ups = shape.split('V').skip(1);
        ups.map(|up| {
            let end = up.find(|c: char| !(c.is_ascii_digit() || c == '.'));
            up[..end.unwrap_or(up.len())].parse().expect("a number")
        })
    });
    heights.fold(f64::INFINITY, f64::min)
}

#[test]
fn two_captures() {
    let picture = drawn(&[two_graphs()]);
    parsed(&picture);
    insta::assert_snapshot!(picture);
}

#[test]
fn what_the_program_says_is_text() {
    let evil = "a\"b'><script>alert(1)</script>&amp;\u{0}\u{1b}[2J\u{ffff}\u{202e}\n.py";
    let mut one = two_graphs();
    one.process.command = vec![evil.to_owned()];
    for graph in &mut one.graphs {
        graph.location.as_mut().expect("a line").file = format!("/{evil}").into();
    }
    let most = one.timeline.most_held.as_mut().expect("it is there");
    most.location.as_mut().expect("a line").file = format!("/{evil}").into();
    let picture = drawn(&[one.clone(), one]);
    let document = parsed(&picture);
    for node in document.descendants().filter(Node::is_element) {
        let name = node.tag_name().name();
        let known = [
            "svg", "title", "desc", "style", "rect", "g", "text", "line", "path", "circle",
        ];
        assert!(known.contains(&name), "{name}");
        for attribute in node.attributes() {
            assert!(!attribute.name().starts_with("on") && attribute.name() != "href");
            assert!(!attribute.value().contains("alert"), "{attribute:?}");
        }
    }
    let is_wrong = |c: char| (c.is_control() && c != '\n') || c == '\u{ffff}' || c == '\u{202e}';
    assert!(!picture.contains(is_wrong));
    let told = texts(&picture);
    let is_told = |it: &String| it.contains("a\"b'><script>alert(1)</script>&amp;␀␛[2J");
    assert!(told.iter().any(is_told), "{told:?}");
}

/// So many steps of pools in turn, with one that is high for a moment.
fn many(steps: usize, pools: usize, captures: usize) -> MemoryUse {
    let changes = (0..steps).map(|step| PoolChange {
        step,
        pool: step % pools,
        reserved: 4 * MIB,
        held: if step == steps / 3 {
            20_000 * MIB
        } else {
            (step / pools % 4) as u64 * MIB
        },
    });
    MemoryUse {
        timeline: MemoryTimeline {
            pools: (0..pools as u64).map(|it| (0, it)).collect(),
            steps: (0..steps as u64).collect(),
            changes: changes.collect(),
            captures: (0..captures)
                .map(|it| CaptureSpan {
                    graph: it + 1,
                    begins: it * steps / captures,
                    ends: (it + 1) * steps / captures - 1,
                })
                .collect(),
            most_held: None,
            reserved_peak: 0,
        },
        ..two_graphs()
    }
}

#[test]
fn very_many_steps_pools_and_captures_make_no_larger_picture_and_lose_no_peak() {
    let picture = drawn(&[many(300_000, 500, 20_000)]);
    assert!(picture.len() < 500_000, "{} bytes", picture.len());
    let told = texts(&picture);
    let is_rest = |it: &String| it.starts_with("492 other pools, together at most ");
    assert!(told.iter().any(is_rest), "{told:?}");
    // The highest point is at 10 of 11 parts of the plot, which is 330 high and ends at 422.
    assert!(
        (highest(&picture) - 122.0).abs() < 0.2,
        "{}",
        highest(&picture)
    );
    let whole = drawn(&[many(300, 3, 2)]);
    assert!((highest(&whole) - 122.0).abs() < 0.2, "{}", highest(&whole));
}

#[test]
fn of_many_processes_the_first_ones_are_drawn() {
    let picture = drawn(&vec![two_graphs(); 11]);
    let told = texts(&picture);
    let headings = told.iter().filter(|it| it.starts_with("Memory in"));
    assert_eq!(headings.count(), 8);
    assert!(
        told.contains(&"Not shown: 3 more processes.".to_owned()),
        "{told:?}"
    );
}

#[test]
fn where_there_is_nothing_to_draw_the_picture_says_so() {
    let told = texts(&drawn(&[]));
    assert!(told.iter().any(|it| it.starts_with("There is no memory")));
    let empty = MemoryUse {
        timeline: MemoryTimeline::default(),
        ..two_graphs()
    };
    parsed(&drawn(&[empty]));
}
