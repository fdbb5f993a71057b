//! Each rule with programs that it must tell apart. A file holds several, each below a line `# --- what it is`.
//!
//! `rules/` has three for each rule: one that fails, its repaired twin, and one that only looks similar. `variations/` has
//! the same mistakes in other forms, and what must stay silent beside them. A comment `# cgsan: CG101` marks each line at
//! which something is to be found; `# torch: 2.9` gives a program another version of PyTorch than the newest, and
//! `# file: name.py` begins another file of it.

mod programs;

use std::collections::BTreeSet;
use std::path::Path;

use cgsan_finding::Finding;
use cgsan_lint::{Project, RULES, lint};

use programs::{Program, files};

/// How many forms of a mistake `variations/` has at least.
const FORMS: usize = 3;

fn found(program: &Program) -> BTreeSet<(u32, String)> {
    let mut project = Project::new([]);
    for (name, text) in &program.files {
        project.set_text(Path::new(name), text.clone());
    }
    let outcome = lint(&mut project, &program.settings);
    assert_eq!(outcome.errors, [], "{}", program.name);
    let at = |it: &Finding| {
        (
            it.location.as_ref().map_or(0, |it| it.line),
            it.id.to_owned(),
        )
    };
    outcome.findings.iter().map(at).collect()
}

fn ids_of(program: &Program) -> BTreeSet<&str> {
    program.marked.iter().map(|(_, id)| id.as_str()).collect()
}

/// The id that a file is named after: `cg101_host_sync.py` is about CG101.
fn id_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let id = name.split('_').next()?.to_uppercase();
    id.starts_with("CG").then_some(id)
}

fn ids() -> BTreeSet<&'static str> {
    RULES.iter().map(|rule| rule.id).collect()
}

#[track_caller]
fn assert_told_apart(folder: &str) {
    let mut wrong = Vec::new();
    for (path, programs) in files(folder) {
        for program in programs {
            let found = found(&program);
            let place = |(line, id): &(u32, String)| format!("{}:{line}: {id}", path.display());
            let missed = program.marked.difference(&found);
            wrong.extend(missed.map(|it| format!("{} is not found: {}", place(it), program.name)));
            let more = found.difference(&program.marked);
            wrong.extend(more.map(|it| format!("{} is found: {}", place(it), program.name)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_rule_tells_its_program_from_the_twin_and_the_look_alike() {
    assert_told_apart("tests/rules");
}

#[test]
fn mistakes_are_found_in_other_forms_and_nothing_else_is() {
    assert_told_apart("tests/variations");
}

#[test]
fn each_rule_has_its_three_programs() {
    let mut missing = ids();
    for (path, programs) in files("tests/rules") {
        let names: Vec<&str> = programs.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["fails", "fixed", "lookalike"], "{}", path.display());
        let silent = programs[1..].iter().all(|it| it.marked.is_empty());
        assert!(silent, "{} marks what must be silent", path.display());
        let Some(id) = id_of(&path) else { continue };
        let marks = ids_of(&programs[0]).contains(id.as_str());
        assert!(marks, "{} does not mark {id}", path.display());
        missing.remove(id.as_str());
    }
    assert!(missing.is_empty(), "no programs for {missing:?}");
}

#[test]
fn each_rule_has_its_variations() {
    let mut missing = ids();
    for (path, programs) in files("tests/variations") {
        let Some(id) = id_of(&path) else { continue };
        let forms = programs
            .iter()
            .filter(|it| ids_of(it).contains(id.as_str()));
        assert!(forms.count() >= FORMS, "{} has few forms", path.display());
        let silent = programs.iter().any(|it| it.marked.is_empty());
        assert!(silent, "{} has nothing silent", path.display());
        missing.remove(id.as_str());
    }
    assert!(missing.is_empty(), "no variations for {missing:?}");
}
