//! Each rule with programs that it must tell apart. A file holds several, each below a line `# --- what it is`.
//!
//! `rules/` has three for each rule: one that fails, its repaired twin, and one that only looks similar. `variations/` has
//! the same mistakes in other forms, and what must stay silent beside them. A comment `# cgsan: CG101` marks each line at
//! which something is to be found; `# torch: 2.9` gives a program another version of PyTorch than the newest, and
//! `# file: name.py` begins another file of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cgsan_lint::{Project, RULES, Settings, lint};

/// How many forms of a mistake `variations/` has at least.
const FORMS: usize = 3;

/// One program of a file of programs.
#[derive(Debug, Default)]
struct Program {
    /// What it is: the line above it.
    name: String,
    settings: Settings,
    /// Its files, each with as many empty lines before it as there are lines above it: so lines are those of the whole.
    files: Vec<(String, String)>,
    /// Where something is to be found: line and id.
    marked: BTreeSet<(u32, String)>,
}

impl Program {
    fn found(&self) -> BTreeSet<(u32, String)> {
        let mut project = Project::new([]);
        for (name, text) in &self.files {
            project.set_text(Path::new(name), text.clone());
        }
        let outcome = lint(&mut project, &self.settings);
        assert_eq!(outcome.errors, [], "{}", self.name);
        let at = |it: &cgsan_lint::Finding| (it.location.start.line, it.id.to_owned());
        outcome.findings.iter().map(at).collect()
    }

    fn ids(&self) -> BTreeSet<&str> {
        self.marked.iter().map(|(_, id)| id.as_str()).collect()
    }
}

fn programs(text: &str) -> Vec<Program> {
    let mut programs: Vec<Program> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        if let Some(name) = line.strip_prefix("# --- ") {
            programs.push(Program {
                name: name.to_owned(),
                files: vec![("program.py".to_owned(), "\n".repeat(number as usize))],
                ..Program::default()
            });
            continue;
        }
        let Some(program) = programs.last_mut() else {
            panic!("line {number} belongs to no program");
        };
        if let Some(version) = line.strip_prefix("# torch: ") {
            program.settings.torch = version.parse().expect("it is a version");
        }
        if let Some(name) = line.strip_prefix("# file: ") {
            let above = "\n".repeat(number as usize);
            program.files.push((name.to_owned(), above));
            continue;
        }
        if let Some((_, ids)) = line.split_once("# cgsan: ") {
            let ids = ids.split(", ").map(|id| (number, id.to_owned()));
            program.marked.extend(ids);
        }
        if let Some((_, file)) = program.files.last_mut() {
            file.push_str(line);
            file.push('\n');
        }
    }
    programs
}

/// The files of programs in a folder, by path.
fn files(folder: &str) -> Vec<(PathBuf, Vec<Program>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .map(|path| {
            let text = fs::read_to_string(&path).expect("it can be read");
            (path, programs(&text))
        })
        .collect();
    files.sort_by(|a, b| a.0.cmp(&b.0));
    files
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
            let found = program.found();
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
        let marks = programs[0].ids().contains(id.as_str());
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
        let forms = programs.iter().filter(|it| it.ids().contains(id.as_str()));
        assert!(forms.count() >= FORMS, "{} has few forms", path.display());
        let silent = programs.iter().any(|it| it.marked.is_empty());
        assert!(silent, "{} has nothing silent", path.display());
        missing.remove(id.as_str());
    }
    assert!(missing.is_empty(), "no variations for {missing:?}");
}
