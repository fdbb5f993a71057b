//! The programs of `examples/`: each failing one is explained by its id at its marked line, and fails as it did on real
//! hardware, or ends well if its replays do; its repaired twin and its look-alikes end well, and cgsan says nothing about
//! them.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use support::Watched;
use support::exception::{first_exception, mask};
use support::marked::{NotFound, Wanted};
use support::together::watch_all;

/// What a failing program did on real hardware: an entry of `hardware.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hardware {
    error: String,
    lines: Vec<u32>,
    call: Option<String>,
    #[serde(default)]
    masked: bool,
}

/// A folder of `examples/`, with the id that it is named after.
struct Example {
    name: String,
    id: String,
    folder: PathBuf,
}

/// What a program of an example is to show.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// Fails in the way of the example, in a form of its own if it is a variant.
    Fails,
    /// Works, and nothing is to be said of it.
    Silent,
}

impl Role {
    /// By a program's name; `None` for the catalogue's fixes and dead ends.
    fn of(program: &str) -> Option<Role> {
        if program == "fails.py" || program.starts_with("variant_") {
            Some(Role::Fails)
        } else if ["fixed.py", "silent.py"].contains(&program) || program.starts_with("lookalike") {
            Some(Role::Silent)
        } else {
            None
        }
    }
}

impl Example {
    /// The names of its programs that are judged, each with its role.
    fn programs(&self) -> Vec<(String, Role)> {
        let mut programs: Vec<(String, Role)> = fs::read_dir(&self.folder)
            .expect("an example can be read")
            .filter_map(|entry| {
                let entry = entry.expect("an example can be read");
                let name = entry.file_name().into_string().expect("names are text");
                let role = Role::of(name.strip_suffix(".py").map(|_| &*name)?)?;
                Some((name, role))
            })
            .collect();
        programs.sort_by(|(a, _), (b, _)| a.cmp(b));
        programs
    }

    fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn has(&self, name: &str) -> bool {
        self.program(name).exists()
    }

    /// Whether its failing programs may not end: those about ranks and standing still, each run by itself.
    fn hangs(&self) -> bool {
        self.id.starts_with("CG4")
    }

    /// Whether its failing programs may end well, with wrong results.
    fn ends_well(&self) -> bool {
        cgsan_diagnose::shows_in_replays(&self.id)
    }
}

#[test]
fn every_example_has_a_repaired_twin_and_a_lookalike_and_one_marked_line() {
    let hardware = hardware();
    for example in examples() {
        let name = &example.name;
        if example.has("silent.py") {
            assert!(!example.has("fails.py"), "{name} both fails and is silent");
            continue;
        }
        assert!(example.has("fixed.py"), "{name} has no fixed.py");
        assert!(example.has("lookalike.py"), "{name} has no lookalike.py");
        for (program, role) in example.programs() {
            let marked = Wanted::of(&example.program(&program)).id;
            let ids = marked.iter().flat_map(|it| it.split(' '));
            let is_marked = ids.into_iter().any(|id| id == example.id);
            assert_eq!(
                is_marked,
                role == Role::Fails,
                "the mark of {name}/{program}"
            );
            assert!(
                is_marked || marked.is_none(),
                "the mark of {name}/{program}"
            );
        }
        assert!(
            hardware.contains_key(name) || example.ends_well() || example.hangs(),
            "hardware.toml has no entry for {name}"
        );
    }
}

#[test]
fn what_is_not_found_yet_is_there_and_ends_well() {
    for (path, missed) in NotFound::load().iter() {
        assert!(!missed.why.is_empty(), "{path}");
        let wanted = Wanted::of(&support::root().join(path)).id;
        let is_of_replays = wanted
            .as_deref()
            .is_some_and(cgsan_diagnose::shows_in_replays);
        assert!(is_of_replays, "{path} fails, and its cause must be found");
    }
}

#[test]
fn every_failure_mode_that_a_run_finds_has_an_example_or_a_reason() {
    let readme =
        fs::read_to_string(folder().join("README.md")).expect("examples/README.md can be read");
    let examples = examples();
    let found = cgsan_catalogue::entries().iter().map(|entry| entry.id);
    for id in found.filter(|id| cgsan_diagnose::detects(id)) {
        assert!(
            examples.iter().any(|example| example.id == id)
                || readme.contains(&format!("| {id} |")),
            "{id} has neither a folder in examples/ nor a reason in examples/README.md"
        );
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn failing_examples_are_explained_and_the_others_are_left_alone() {
    let python = support::python();
    let hardware = hardware();
    let not_found = NotFound::load();
    let examples = examples();
    let programs: Vec<(&Example, String, Role)> = examples
        .iter()
        .filter(|example| !example.hangs())
        .flat_map(|example| {
            let programs = example.programs().into_iter();
            programs.map(move |(program, role)| (example, program, role))
        })
        .collect();
    let paths: Vec<PathBuf> = programs
        .iter()
        .map(|(example, name, _)| example.program(name))
        .collect();
    let watched = watch_all(&python, &paths);
    let judged = programs.iter().zip(paths).zip(watched);
    let problems: Vec<String> = judged
        .flat_map(|(((example, name, role), program), watched)| {
            let own = format!("{}/{}", example.name, name.trim_end_matches(".py"));
            let hardware = hardware.get(&own).or_else(|| hardware.get(&example.name));
            let hardware = hardware.filter(|_| *role == Role::Fails);
            let problems = match watched {
                Err(problem) => vec![problem],
                Ok(watched) => {
                    let mut problems = match hardware {
                        Some(hardware) => fails_as_on_hardware(hardware, &program, &watched),
                        None => watched.did_not_end_well(),
                    };
                    problems.extend(watched.intrusions());
                    let wanted = Wanted::of(&program);
                    problems.extend(if example.ends_well() && hardware.is_none() {
                        not_found.judge(&program, &wanted, &watched.findings)
                    } else {
                        wanted.problems(&program, &watched.findings)
                    });
                    problems
                }
            };
            problems
                .into_iter()
                .map(|problem| format!("{}/{name}: {problem}", example.name))
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn hanging_examples_are_explained_and_the_others_are_left_alone() {
    const LIMIT: u32 = 3;
    let python = support::python();
    let examples = examples();
    let hanging = examples.iter().filter(|example| example.hangs());
    let programs: Vec<(&Example, String, Role)> = hanging
        .flat_map(|example| {
            let programs = example.programs().into_iter();
            programs.map(move |(program, role)| (example, program, role))
        })
        .collect();
    let problems = support::in_parallel(&programs, |(example, name, role)| {
        let program = example.program(name);
        let problems = match support::watch_hangs(&python, LIMIT, "kill", &program) {
            Err(problem) => vec![problem],
            Ok(watched) => {
                // A program that is ended while it waits prints what its own functions raise then.
                let mut problems = match role {
                    Role::Silent => [watched.did_not_end_well(), watched.intrusions()].concat(),
                    Role::Fails => Vec::new(),
                };
                problems.extend(Wanted::of(&program).problems(&program, &watched.findings));
                problems
            }
        };
        let named = problems.into_iter();
        named
            .map(|problem| format!("{}/{name}: {problem}", example.name))
            .collect::<Vec<_>>()
    });
    let problems = problems.concat();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// A script lets go of its tensors when it ends, while Python takes its modules apart. Programs that run together with others do
/// not come to that.
#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn what_a_program_holds_until_it_ends_counts_as_held() {
    let program = folder()
        .join("cg217_live_tensor_inside_graph_pool/variant_momentum_made_in_the_capture.py");
    let watched = support::watch(&support::python(), &program).expect("a report");
    let problems = Wanted::of(&program).problems(&program, &watched.findings);
    assert!(problems.is_empty(), "{problems:?}");
}

/// What is wrong with a failing program's end, and with the call that was refused.
fn fails_as_on_hardware(hardware: &Hardware, program: &Path, watched: &Watched) -> Vec<String> {
    let mut problems = Vec::new();
    if watched.exit == Some(0) {
        problems.push("ended well".to_owned());
    }
    let exception = first_exception(&watched.stderr, program);
    let (error, lines) = exception.map_or_else(Default::default, |it| (it.text, it.lines));
    let mask = |text: &str| {
        if hardware.masked {
            mask(text)
        } else {
            text.to_owned()
        }
    };
    if mask(&error) != mask(&hardware.error) {
        problems.push(format!("died of `{error}`, not of `{}`", hardware.error));
    }
    if lines != hardware.lines {
        problems.push(format!(
            "its traceback has lines {lines:?}, not {:?}",
            hardware.lines
        ));
    }
    if let (Some(wanted), Some(finding)) = (&hardware.call, watched.findings.first()) {
        let call = finding.call.as_ref();
        let call = call.map_or_else(String::new, |call| {
            format!("{} by {}", call.code, call.function)
        });
        if call != *wanted {
            problems.push(format!(
                "names `{call}` as the refused call, not `{wanted}`"
            ));
        }
    }
    problems
}

fn folder() -> PathBuf {
    support::root().join("examples")
}

/// The examples, by name.
fn examples() -> Vec<Example> {
    let mut examples: Vec<Example> = fs::read_dir(folder())
        .expect("examples/ can be read")
        .filter_map(|entry| {
            let entry = entry.expect("examples/ can be read");
            let name = entry.file_name().into_string().expect("names are text");
            let (id, _) = name
                .split_once('_')
                .filter(|(id, _)| id.starts_with("cg"))?;
            Some(Example {
                id: id.to_uppercase(),
                folder: entry.path(),
                name,
            })
        })
        // A folder without either holds only the catalogue's programs.
        .filter(|example| example.has("fails.py") || example.has("silent.py"))
        .collect();
    examples.sort_by(|a, b| a.name.cmp(&b.name));
    examples
}

fn hardware() -> BTreeMap<String, Hardware> {
    let text =
        fs::read_to_string(folder().join("hardware.toml")).expect("hardware.toml can be read");
    toml::from_str(&text).expect("hardware.toml is as documented")
}
