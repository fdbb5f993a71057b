//! What `cgsan explain` shows.

use cgsan_catalogue::{Entry, Program, entries, entry};
use cgsan_render::Options;

fn explain(id: &str, width: usize, color: bool) -> String {
    let options = Options {
        width,
        color,
        ..Options::default()
    };
    cgsan_render::entry(entry(id).expect("it exists"), &options).replace('\x1b', "␛")
}

#[test]
fn an_entry_at_80_columns() {
    insta::assert_snapshot!(explain("CG106", 80, false));
}

#[test]
fn an_entry_at_60_columns_in_colour() {
    insta::assert_snapshot!(explain("CG124", 60, true));
}

#[test]
fn prose_keeps_to_the_width() {
    for entry in entries() {
        let options = Options {
            width: 70,
            ..Options::default()
        };
        let output = cgsan_render::entry(entry, &options);
        for line in prose(&output, entry) {
            assert!(line.chars().count() <= 70, "{}: {line}", entry.id);
        }
    }
}

/// The lines of the output that hold no code and more than one word.
fn prose<'a>(output: &'a str, entry: &'a Entry) -> impl Iterator<Item = &'a str> {
    output.lines().filter(|line| {
        let is_code = entry.fixes.iter().any(|fix| {
            source(fix.proof)
                .lines()
                .any(|code| code.trim() == line.trim())
        });
        !is_code && line.split_whitespace().count() > 2
    })
}

#[test]
fn code_can_be_copied() {
    for entry in entries() {
        let output = cgsan_render::entry(
            entry,
            &Options {
                width: 40,
                ..Options::default()
            },
        );
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
