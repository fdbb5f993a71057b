//! What repairs make of programs. A file of `repairs/` holds pairs of them: one below `# --- safe: …` or `# --- unsafe: …`,
//! and what its repair makes of it. Below `# --- nothing: …` stands one that is found, and that no repair is known for.

mod programs;

use std::path::Path;

use cgsan_lint::{Outcome, Project, Settings, lint, repair};

use programs::{Program, files};

/// How a program may be written: the same text with other indentation and other line breaks.
const STYLES: [fn(&str) -> String; 3] = [
    str::to_owned,
    |text| text.replace("    ", "\t"),
    |text| text.replace('\n', "\r\n"),
];

fn text(program: &Program) -> String {
    let [(_, text)] = program.files.as_slice() else {
        panic!("{} has several files", program.name);
    };
    text.trim_start_matches('\n').to_owned()
}

fn project(text: &str) -> Project {
    let mut project = Project::new([]);
    project.set_text(Path::new("program.py"), text.to_owned());
    project
}

/// The program with its repairs, and what is found in it then.
fn repaired(text: &str, settings: &Settings, also_unsafe: bool) -> (String, Outcome) {
    let mut project = project(text);
    let mut outcome = lint(&mut project, settings);
    assert_eq!(outcome.errors, [], "{text}");
    repair(&mut project, settings, &mut outcome, also_unsafe);
    let again = repair(&mut project, settings, &mut outcome.clone(), also_unsafe);
    assert!(
        again.is_empty(),
        "a second repair changes something:\n{text}"
    );
    let text = project.contents(Path::new("program.py"));
    (text.unwrap_or_default(), outcome)
}

#[test]
fn each_repair_makes_its_program_of_another() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for (path, programs) in files("tests/repairs") {
        let mut programs = programs.iter();
        while let Some(program) = programs.next() {
            let (kind, _) = program.name.split_once(": ").expect("a program has a kind");
            let expected = match kind {
                "nothing" => program,
                _ => programs.next().expect("a program has a repaired twin"),
            };
            for style in STYLES {
                let (before, after) = (style(&text(program)), style(&text(expected)));
                let (safely, _) = repaired(&before, &program.settings, false);
                let (fully, left) = repaired(&before, &program.settings, true);
                let is_right = fully == after
                    && safely == *(if kind == "safe" { &after } else { &before })
                    && left.findings.is_empty() == (kind != "nothing");
                if !is_right {
                    let found: Vec<_> = left.findings.iter().map(|it| it.id).collect();
                    wrong.push(format!(
                        "{}: {}\n--- safe\n{safely}\n--- unsafe\n{fully}\n--- still found: {found:?}",
                        path.display(),
                        program.name
                    ));
                    break;
                }
                checked += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(checked > 0);
}

#[test]
fn repairs_come_to_an_end_and_bring_nothing_new() {
    for folder in ["tests/rules", "tests/variations"] {
        for (path, programs) in files(folder) {
            for program in programs.iter().filter(|it| it.files.len() == 1) {
                let text = text(program);
                let before = lint(&mut project(&text), &program.settings).findings;
                let (after, outcome) = repaired(&text, &program.settings, true);
                assert_eq!(outcome.errors, [], "{after}");
                for found in outcome.findings {
                    let count = |of: &[cgsan_finding::Finding]| {
                        of.iter().filter(|it| it.id == found.id).count()
                    };
                    let is_old = count(&before) > 0;
                    assert!(
                        is_old,
                        "{}: {} is new in\n{after}",
                        path.display(),
                        found.id
                    );
                }
            }
        }
    }
}
