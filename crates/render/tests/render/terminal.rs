//! What a person sees, at several widths.

use cgsan_finding::{Confidence, Coverage, Gap, Note, NoteLevel, Report};
use cgsan_render::{Options, summary, terminal};

use crate::sample;

/// The report as text, with the escape character made visible.
fn render(report: &Report, options: &Options) -> String {
    terminal(report, options, &mut sample::source).replace('\x1b', "␛")
}

fn at(width: usize) -> Options {
    Options {
        width,
        directory: Some("/home/user/project".to_owned()),
        ..Options::default()
    }
}

/// The longest line, in characters.
fn widest(output: &str) -> usize {
    output
        .lines()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0)
}

#[test]
fn several_labels_at_60_columns() {
    let output = render(&sample::host_sync(), &at(60));
    insta::assert_snapshot!(output);
    assert!(widest(&output) <= 60, "{output}");
}

#[test]
fn several_labels_at_100_columns() {
    insta::assert_snapshot!(render(&sample::host_sync(), &at(100)));
}

#[test]
fn several_labels_at_200_columns() {
    insta::assert_snapshot!(render(&sample::host_sync(), &at(200)));
}

#[test]
fn colours_at_100_columns() {
    let options = Options {
        color: true,
        ..at(100)
    };
    insta::assert_snapshot!(render(&sample::host_sync(), &options));
}

#[test]
fn colours_at_60_columns() {
    let options = Options {
        color: true,
        ..at(60)
    };
    insta::assert_snapshot!(render(&sample::other_thread(), &options));
}

#[test]
fn another_thread_in_another_file() {
    insta::assert_snapshot!(render(&sample::other_thread(), &at(100)));
}

/// The last rows of a finding, which say whose it is.
fn last_rows(report: &Report, options: &Options) -> String {
    let output = render(report, options);
    let (_, rows) = output.split_once("   = capture:").expect("a capture");
    format!("   = capture:{rows}")
}

#[test]
fn a_finding_names_its_ranks_and_how_often_it_was_made() {
    insta::assert_snapshot!(last_rows(&sample::of_ranks(), &at(100)));
    insta::assert_snapshot!(last_rows(&sample::of_a_rank_elsewhere(), &at(100)));
}

#[test]
fn a_finding_of_one_process_of_several_names_it() {
    let options = Options {
        several_processes: true,
        ..at(100)
    };
    insta::assert_snapshot!(last_rows(&sample::host_sync(), &options));
}

#[test]
fn the_lines_of_a_remark_stay_as_they_are() {
    let report = Report {
        notes: vec![Note::new(
            "the shortest program that shows it\nthread 1: a call = 0\nthe model answers 900",
            Some(sample::place("train.py", 4, "step")),
        )],
        ..Report::default()
    };
    insta::assert_snapshot!(render(&report, &at(40)));
}

#[test]
fn the_whole_stack_on_request() {
    let options = Options {
        full: true,
        ..at(100)
    };
    insta::assert_snapshot!(render(&sample::other_thread(), &options));
}

#[test]
fn a_source_that_cannot_be_had() {
    insta::assert_snapshot!(render(&sample::without_source(), &at(100)));
}

#[test]
fn tabs_and_wide_characters() {
    insta::assert_snapshot!(render(&sample::tabs_and_wide_characters(), &at(80)));
}

#[test]
fn very_long_lines() {
    insta::assert_snapshot!(render(&sample::long_line(), &at(80)));
}

#[test]
fn two_labels_on_one_line() {
    insta::assert_snapshot!(render(&sample::two_labels_on_one_line(), &at(100)));
}

#[test]
fn parts_of_lines_are_underlined() {
    for width in [60, 100] {
        let output = render(&sample::parts(), &at(width));
        insta::assert_snapshot!(output);
        assert!(widest(&output) <= width, "{output}");
    }
    insta::assert_snapshot!(render(&sample::two_parts_of_one_line(), &at(100)));
    insta::assert_snapshot!(render(
        &sample::a_part_among_tabs_and_wide_characters(),
        &at(80)
    ));
}

#[test]
fn a_part_of_a_long_line_can_be_seen() {
    let output = render(&sample::a_part_of_a_long_line(), &at(80));
    insta::assert_snapshot!(output);
    assert!(widest(&output) <= 80, "{output}");
}

#[test]
fn a_part_may_go_over_several_lines() {
    insta::assert_snapshot!(render(&sample::several_lines(), &at(80)));
}

#[test]
fn places_in_a_notebook_are_those_of_its_cells() {
    insta::assert_snapshot!(render(&sample::in_a_notebook(), &at(80)));
}

#[test]
fn what_could_not_be_looked_at_is_an_error_with_its_place() {
    let mut report = sample::several_lines();
    report.notes = vec![
        Note {
            level: NoteLevel::Error,
            ..Note::new(
                "invalid Python syntax: a bracket is missing",
                report.findings[0].location.clone(),
            )
        },
        Note::new("the trace was cut off", None),
    ];
    report.findings.clear();
    insta::assert_snapshot!(render(&report, &at(80)));
}

#[test]
fn no_location() {
    insta::assert_snapshot!(render(&sample::no_location(), &at(100)));
}

#[test]
fn many_consequences() {
    insta::assert_snapshot!(render(&sample::many_consequences(), &at(80)));
}

#[test]
fn many_consequences_in_full() {
    let options = Options {
        full: true,
        ..at(80)
    };
    let output = render(&sample::many_consequences(), &options);
    assert_eq!(output.matches("= then").count(), 12, "{output}");
}

#[test]
fn less_than_certain() {
    let mut report = sample::no_location();
    report.findings[0].confidence = Confidence::Possible;
    insta::assert_snapshot!(render(&report, &at(80)));
}

#[test]
fn nothing_found() {
    let options = Options {
        watched: Some("2 files".to_owned()),
        ..at(80)
    };
    insta::assert_snapshot!(render(&Report::default(), &options), @"cgsan: no findings (2 files)");
}

/// A report without findings on a run.
fn covering(coverage: Coverage) -> Report {
    Report {
        coverage: Some(coverage),
        ..Report::default()
    }
}

#[test]
fn nothing_found_in_what_was_watched() {
    let report = covering(Coverage {
        captures: 3,
        replays: 40,
        operators: Some(1200),
        processes: 1,
        ..Coverage::default()
    });
    insta::assert_snapshot!(
        render(&report, &at(80)),
        @"cgsan: no findings (3 captures, 40 replays, 1200 operators)"
    );
}

#[test]
fn what_was_not_watched_is_said() {
    let report = covering(Coverage {
        captures: 1,
        processes: 1,
        not_watched: vec![
            Gap::new("operators", Some("so what replays compute was not judged")),
            Gap::new("calls to CUDA", None),
        ],
        ..Coverage::default()
    });
    insta::assert_snapshot!(render(&report, &at(80)));
}

#[test]
fn a_run_without_a_capture_is_no_all_clear() {
    let without_capture = covering(Coverage {
        processes: 1,
        ..Coverage::default()
    });
    insta::assert_snapshot!(
        render(&without_capture, &at(80)),
        @"cgsan: nothing was judged: no capture was seen"
    );
    insta::assert_snapshot!(
        render(&covering(Coverage::default()), &at(80)),
        @"cgsan: nothing was judged: nothing was recorded"
    );
}

#[test]
fn limits_are_said_once_at_the_end() {
    let mut report = sample::no_location();
    report.findings.extend(sample::host_sync().findings);
    report.notes = vec![
        Note::new(
            "the virtual GPU has no `cudaFrobnicate`; the program was told that it is not supported",
            Some(sample::place("train.py", 4, "step")),
        ),
        Note::new("the trace was cut off", None),
    ];
    insta::assert_snapshot!(render(&report, &at(80)));
}

#[test]
fn control_characters_of_the_program_do_not_reach_the_terminal() {
    let mut report = sample::many_consequences();
    let finding = &mut report.findings[0];
    finding.title = "evil \x1b]0;title\x07".to_owned();
    finding.notes = vec!["evil \x1b[2J".to_owned()];
    finding.labels[0].text = "evil \x1b[2J".to_owned();
    finding.labels[0].location.file = "/home/user/project/\x1b[2J.py".into();
    sample::recorded(&mut report).consequences[0].text = "evil \x1b[2J".to_owned();
    let options = Options {
        full: true,
        ..at(80)
    };
    let output = terminal(&report, &options, &mut sample::source);
    assert!(!output.contains('\x1b'), "{output}");
    assert!(!output.contains('\x07'), "{output}");
}

#[test]
fn no_width_makes_it_panic() {
    for width in [0, 1, 7, 20, 59, 1000] {
        for report in sample::all() {
            for color in [false, true] {
                let options = Options {
                    color,
                    full: true,
                    ..at(width)
                };
                assert!(!render(&report, &options).is_empty());
            }
        }
    }
}

#[test]
fn a_line_beyond_the_end_of_a_changed_source_does_no_harm() {
    let mut report = sample::host_sync();
    for label in &mut report.findings[0].labels {
        label.location.line += 1000;
    }
    insta::assert_snapshot!(render(&report, &at(80)));
    report.findings[0].labels[0].location.line = 0;
    assert!(!render(&report, &at(80)).is_empty());
}

#[test]
fn the_line_that_sums_up_keeps_to_the_width() {
    let mut report = sample::host_sync();
    report.findings.truncate(1);
    for width in [30, 40, 60] {
        for color in [false, true] {
            let options = Options {
                color,
                watched: Some("17 files, 3 notebooks, 2 of them not in Python".to_owned()),
                ..at(width)
            };
            let output = summary(&report, &options)
                .replace("\x1b[1m", "")
                .replace("\x1b[0m", "");
            assert!(widest(&output) <= width, "{output}");
            assert!(output.starts_with("cgsan: 1 finding"), "{output}");
        }
    }
}
