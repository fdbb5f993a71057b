//! What `cgsan explain` shows.

use cgsan_catalogue::{Entry, Language, Program, codes, entries, entry, releases};
use cgsan_render::Options;
use unicode_width::UnicodeWidthStr as _;

fn explain(id: &str, width: usize, color: bool) -> String {
    let options = Options {
        width,
        color,
        ..Options::default()
    };
    let entry = entry(id).expect("it exists");
    cgsan_render::entry(
        entry,
        &["cgsan run", "cgsan explain"],
        Language::English,
        &options,
    )
    .replace('\x1b', "␛")
}

/// The output with the newest release of PyTorch as `newest`, so that a further release changes no snapshot.
fn whatever_the_newest_is(output: &str) -> String {
    let newest = releases().last().expect("there are releases").minor();
    output
        .replace(&format!("2.6 to {newest}"), "2.6 to newest")
        .replace(&format!("2.6 至 {newest}"), "2.6 至 newest")
}

#[test]
fn an_entry_at_80_columns() {
    insta::assert_snapshot!(whatever_the_newest_is(&explain("CG106", 80, false)));
}

fn in_short(entry: &Entry, width: usize, language: Language) -> String {
    let options = Options {
        width,
        ..Options::default()
    };
    cgsan_render::entry_in_short(entry, language, &options)
}

#[test]
fn an_entry_in_short() {
    let entry = entry("CG106").expect("it exists");
    insta::assert_snapshot!(in_short(entry, 80, Language::English));
}

#[test]
fn an_entry_in_short_fits_a_screen() {
    const LINES: usize = 60;
    for entry in entries() {
        for language in [Language::English, Language::Chinese] {
            let output = in_short(entry, 100, language);
            let lines = output.lines().count();
            assert!(lines <= LINES, "{}: {lines} lines", entry.id);
            assert!(
                output.ends_with("）\n") || output.ends_with(")\n"),
                "{}",
                entry.id
            );
        }
    }
}

#[test]
fn an_entry_at_60_columns_in_colour() {
    insta::assert_snapshot!(whatever_the_newest_is(&explain("CG124", 60, true)));
}

#[test]
fn an_entry_in_chinese() {
    let options = Options {
        width: 72,
        ..Options::default()
    };
    let entry = entry("CG106").expect("it exists");
    let output = cgsan_render::entry(entry, &["cgsan explain"], Language::Chinese, &options);
    insta::assert_snapshot!(whatever_the_newest_is(&output));
}

#[test]
fn prose_keeps_to_the_width() {
    let options = Options {
        width: 70,
        ..Options::default()
    };
    for language in [Language::English, Language::Chinese] {
        for entry in entries() {
            let output = cgsan_render::entry(entry, &[], language, &options);
            for line in prose(&output, entry) {
                assert!(line.width() <= 70, "{}: {line}", entry.id);
            }
        }
    }
}

/// The lines of the output that are no code, no expression, and more than a name or an address.
fn prose<'a>(output: &'a str, entry: &'a Entry) -> impl Iterator<Item = &'a str> {
    output.lines().filter(|line| {
        let is_code = programs(entry).any(|code| code.trim() == line.trim());
        let is_expression = entry
            .patterns
            .iter()
            .any(|pattern| line.contains(pattern.matches));
        !is_code && !is_expression && line.split_whitespace().count() > 2
    })
}

#[test]
fn a_code_with_what_it_means() {
    let code = codes()
        .iter()
        .find(|code| code.code == 904)
        .expect("it is a code");
    let options = Options {
        width: 80,
        ..Options::default()
    };
    insta::assert_snapshot!(cgsan_render::code(code, Language::English, &options));
}

/// A traceback of the second of two ranks.
const TRACEBACK: &str = "\
[rank1]: Traceback (most recent call last):
[rank1]:   File \"train.py\", line 12, in <module>
[rank1]:     with torch.cuda.graph(graph):
[rank1]:   File \"/usr/lib/python3/site-packages/torch/cuda/graphs.py\", line 126, in capture_end
[rank1]:     super().capture_end()
[rank1]: torch.AcceleratorError: CUDA error: capturing stream has unjoined work
";

#[test]
fn the_candidates_for_a_text() {
    let explanation = cgsan_explain::text(TRACEBACK).expect("it is a text");
    let options = Options {
        width: 80,
        ..Options::default()
    };
    for language in [Language::English, Language::Chinese] {
        insta::assert_snapshot!(cgsan_render::candidates(&explanation, language, &options));
    }
    let json =
        cgsan_render::candidates_json(&explanation, Language::English, |_| vec!["cgsan explain"]);
    let names = releases().iter().map(|it| format!("\"{}\"", it.pytorch));
    let every_release = names.collect::<Vec<String>>().join(",\n            ");
    insta::assert_snapshot!(json.replace(&every_release, "\"every release\""));
}

#[test]
fn a_text_that_leaves_it_open_gets_the_questions_that_decide_and_the_command_for_its_kind() {
    let symptom =
        "Memory grows with every captured CUDA graph, each with its own private memory pool.";
    let explanation = cgsan_explain::text(symptom).expect("it is a text");
    let output = cgsan_render::candidates(&explanation, Language::English, &Options::default());
    let (_, decides) = output.split_once("What decides").expect("it is undecided");
    for candidate in &explanation.candidates {
        let id = format!("{}: ", candidate.entry.id);
        assert!(decides.contains(&id), "{id}{output}");
    }
    assert!(explanation.candidates.len() > 1, "{output}");
    assert!(
        decides.contains("cgsan run --memory -- python PROGRAM.py"),
        "{output}"
    );
}

#[test]
fn that_no_graph_failed_has_its_place_among_the_answers() {
    let explanation = cgsan_explain::text(TRACEBACK).expect("it is a text");
    let shown = |place| {
        let explanation = cgsan_explain::Explanation {
            beside: place,
            ..explanation.clone()
        };
        cgsan_render::candidates(&explanation, Language::English, &Options::default())
    };
    let [first, second, none] = [Some(0), Some(1), None].map(shown);
    assert!(first.starts_with("By its words, this is most likely not a CUDA graph failure"));
    assert!(!first.contains("The answer") && !first.contains("What to change first"));
    assert!(first.contains("What it may be instead"), "{first}");
    assert!(second.starts_with("The answer"), "{second}");
    assert!(second.contains("It may also not be a CUDA graph failure"));
    assert!(!none.contains("be a CUDA graph failure"), "{none}");
}

#[test]
fn code_can_be_copied() {
    for entry in entries() {
        let options = Options {
            width: 40,
            ..Options::default()
        };
        let output = cgsan_render::entry(entry, &[], Language::Chinese, &options);
        for line in programs(entry) {
            assert!(
                output.lines().any(|shown| shown.trim_end().ends_with(line)),
                "{line}"
            );
        }
    }
}

/// The lines of the fixes' programs.
fn programs(entry: &Entry) -> impl Iterator<Item = &'static str> {
    let programs = entry.fixes.iter().filter_map(|fix| fix.proof.program());
    programs
        .map(|program: Program| program.source)
        .flat_map(str::lines)
}
