//! Looks at the files of a project.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cgsan_finding::{LeftOut, Note};
use cgsan_selection::{Comment, Split};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::comments;
use crate::finding::{Finding, SyntaxError, Unfinished};
use crate::fixes;
use crate::project::{FileId, Project, Role};
use crate::rules::Rules;
use crate::settings::Settings;
use crate::syntax::Source;
use crate::torch::Interp;

/// What was found in a project, ordered by file and place.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What goes wrong.
    pub findings: Vec<Finding>,
    /// What goes wrong as well and is not to be reported.
    pub left_out: Vec<LeftOut>,
    /// What is wrong with the comments that leave findings out.
    pub notes: Vec<Note>,
    /// What is not valid Python.
    pub errors: Vec<SyntaxError>,
    /// What was evaluated in part only.
    pub unfinished: Vec<Unfinished>,
    /// How many files were looked at.
    pub files: usize,
}

/// Bytes of each thread's stack. Only what is touched takes memory.
const STACK: usize = 256 << 20;

/// Looks at all files of a project.
pub fn lint(project: &mut Project, settings: &Settings) -> Outcome {
    deep(|| lint_all(project, settings))
}

fn lint_all(project: &mut Project, settings: &Settings) -> Outcome {
    let named: Vec<FileId> = project.named().collect();
    let roots = roots(project, &named);
    let followed = project.add_imports(&roots);
    let project = &*project;
    // One root may take as long as hundreds of other files: those fill the other threads' time meanwhile.
    let (evaluated, read) = rayon::join(
        || evaluate_all(project, settings, &roots),
        || {
            named
                .par_iter()
                .map(|id| {
                    if followed.contains(id) {
                        Read::of(project, *id, project.source(*id))
                    } else {
                        project.parse_once(*id, |source| Read::of(project, *id, source))
                    }
                })
                .reduce(Read::default, Read::and)
        },
    );
    let (split, unfinished) = evaluated;
    let mut notes = read.notes();
    if unfinished.is_empty() {
        let evaluated = |it: &&Comment| {
            let id = project.id(&it.location.file);
            id.is_some_and(|id| followed.contains(&id))
        };
        let comments: Vec<&Comment> = read.comments.iter().filter(evaluated).collect();
        notes.extend(unused(project, settings, &roots, &comments, &split));
    }
    Outcome {
        notes,
        errors: read.errors,
        findings: split.findings,
        left_out: split.left_out,
        unfinished,
        files: named.len(),
    }
}

/// What is found from the first lines of files on, and what was not evaluated.
fn evaluate_all(
    project: &Project,
    settings: &Settings,
    roots: &[FileId],
) -> (Split, Vec<Unfinished>) {
    let evaluated: Vec<_> = roots
        .par_iter()
        .with_max_len(1)
        .map(|id| evaluated(project, settings, *id))
        .collect();
    let (findings, unfinished): (Vec<_>, Vec<_>) = evaluated.into_iter().unzip();
    let findings = findings.into_iter().flatten().collect();
    (
        arrange(project, settings, findings),
        unfinished.into_iter().flatten().collect(),
    )
}

/// That comments leave nothing out, also nothing of what depends on unknown values.
fn unused(
    project: &Project,
    settings: &Settings,
    roots: &[FileId],
    of: &[&Comment],
    split: &Split,
) -> Vec<Note> {
    let unused = comments::unused(of, &settings.policy, split);
    if unused.is_empty() || settings.pedantic {
        return unused;
    }
    let all = Settings {
        pedantic: true,
        ..settings.clone()
    };
    let (split, _) = evaluate_all(project, &all, roots);
    comments::unused(of, &settings.policy, &split)
}

/// Looks at one file of a project.
pub fn lint_file(project: &mut Project, settings: &Settings, path: &Path) -> Outcome {
    deep(|| lint_one(project, settings, path))
}

fn lint_one(project: &mut Project, settings: &Settings, path: &Path) -> Outcome {
    let Some(id) = project.id(path) else {
        return Outcome::default();
    };
    let (findings, unfinished) = if roots(project, &[id]).is_empty() {
        (Vec::new(), None)
    } else {
        project.add_imports(&[id]);
        evaluated(project, settings, id)
    };
    let read = project.parse_once(id, |source| Read::of(project, id, source));
    let Split { findings, left_out } = arrange(project, settings, findings);
    Outcome {
        notes: read.notes(),
        errors: read.errors,
        findings,
        left_out,
        unfinished: unfinished.into_iter().collect(),
        files: 1,
    }
}

/// What is found from the first line of a file on, and whether there is more that was not evaluated.
fn evaluated(
    project: &Project,
    settings: &Settings,
    id: FileId,
) -> (Vec<Finding>, Option<Unfinished>) {
    let mut rules = Rules::default();
    let stopped = Interp::follow_file(project, settings, &mut rules, id);
    let unfinished = stopped.map(|site| Unfinished {
        root: project.path(id).to_owned(),
        location: project.location(site, String::new()),
    });
    (fixes::findings(project, rules.into_reports()), unfinished)
}

/// The files that [`lint_file`] reads for a file of a project: itself, and what it imports if something in it may be
/// captured.
pub fn reach(project: &mut Project, path: &Path) -> BTreeSet<PathBuf> {
    deep(|| {
        let Some(id) = project.id(path) else {
            return BTreeSet::new();
        };
        let mut files = BTreeSet::from([id]);
        if !roots(project, &[id]).is_empty() {
            files.extend(project.add_imports(&[id]));
        }
        files
            .iter()
            .map(|id| project.path(*id).to_owned())
            .collect()
    })
}

/// Runs where the stack is deep enough for source that is nested as no person writes it.
fn deep<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let pool = POOL.get_or_init(|| ThreadPoolBuilder::new().stack_size(STACK).build().ok());
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// The files whose programs are followed from their first lines: those that may capture, and those that are run and lead
/// to such a file.
fn roots(project: &mut Project, files: &[FileId]) -> Vec<FileId> {
    let roles: Vec<(FileId, Role)> = files
        .par_iter()
        .map(|id| (*id, project.role(*id)))
        .collect();
    let run: Vec<FileId> = roles
        .iter()
        .filter(|(_, role)| *role == Role::Runs)
        .map(|(id, _)| *id)
        .collect();
    let leading = project.leading_to_captures(&run);
    roles
        .into_iter()
        .filter(|(id, role)| *role == Role::Captures || leading.contains(id))
        .map(|(id, _)| id)
        .collect()
}

/// What is seen of files without evaluating them.
#[derive(Debug, Default)]
struct Read {
    errors: Vec<SyntaxError>,
    /// Those that leave findings out.
    comments: Vec<Comment>,
}

impl Read {
    fn of(project: &Project, id: FileId, source: &Source) -> Self {
        Self {
            errors: syntax_errors(project, id, source),
            comments: comments::of_source(project.path(id), source),
        }
    }

    fn and(mut self, next: Self) -> Self {
        self.errors.extend(next.errors);
        self.comments.extend(next.comments);
        self
    }

    fn notes(&self) -> Vec<Note> {
        self.comments.iter().flat_map(Comment::notes).collect()
    }
}

/// What is wrong with the syntax of a file.
fn syntax_errors(project: &Project, id: FileId, source: &Source) -> Vec<SyntaxError> {
    source
        .errors
        .iter()
        .map(|(range, message)| SyntaxError {
            location: source.location(project.path(id), *range),
            message: message.clone(),
            unreadable: source.unreadable,
        })
        .collect()
}

/// Orders findings, each once, and leaves out what is not to be reported.
fn arrange(project: &Project, settings: &Settings, mut findings: Vec<Finding>) -> Split {
    findings.sort_by(|a, b| {
        let key = |it: &Finding| {
            let place = it.location.as_ref();
            let place = place.map(|it| (it.file.clone(), it.bytes().map(|it| it.start)));
            (place, it.id, it.confidence)
        };
        key(a).cmp(&key(b))
    });
    let mut seen = BTreeSet::new();
    findings.retain(|finding| {
        let place = finding.location.as_ref();
        place.is_some_and(|it| seen.insert((it.file.clone(), it.line, finding.id)))
    });
    cgsan_selection::split(findings, &settings.policy, &mut &*project)
}
