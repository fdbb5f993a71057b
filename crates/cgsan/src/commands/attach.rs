//! `cgsan attach`: what programs do that were started without cgsan.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cgsan_attach::{Attached, Found, Inside, Looked, Subject, ToldProcess, what_to_set};
use cgsan_diagnose::summary;
use cgsan_files::{Begun, Links};
use cgsan_finding::{Note, Report};
use cgsan_render::{Options, Run};
use serde::Serialize;

use crate::cli::AttachOptions;
use crate::output::destination::{Destination, tell_written};
use crate::output::error::Error;
use crate::output::exit::Exit;
use crate::output::standard::Standard;
use crate::traces::summaries;

/// The version of the JSON that `--json` writes.
const VERSION: u32 = 1;

/// Bytes of the largest source file that is shown.
const LARGEST_SOURCE: u64 = 16 << 20;

/// Looks at processes, and says what they do.
///
/// # Errors
///
/// If one of them is gone or is not a Python program, if they may not be looked at, or if what is to be said cannot be written.
pub fn run(options: &AttachOptions) -> Result<Exit, Error> {
    let mut destination = Destination::output(options.output.as_deref(), Standard::Output)?;
    let (subjects, mut notes) = subjects(options)?;
    let window = Duration::from_secs_f64(options.window);
    let begun = Instant::now();
    let before = ask(options, &subjects);
    let mut attached = cgsan_attach::look_at(subjects, window);
    check(&attached)?;
    notes.extend(cgsan_attach::missing(&attached.processes));
    let subjects = attached.processes.iter().map(|it| &it.subject);
    let mut inside = Vec::new();
    for (subject, before) in subjects.zip(before) {
        // Who did not answer before need not be waited for again.
        let after = before.as_ref().map_err(Clone::clone);
        let after = after.and_then(|_| cgsan_attach::ask(subject));
        notes.extend(answered(subject, &before, &after, begun.elapsed()));
        let after = after.ok();
        notes.extend(after.iter().flat_map(cgsan_attach::of_memory));
        inside.push(after);
    }
    for (looked, inside) in attached.processes.iter_mut().zip(&inside) {
        let names = inside.as_ref().and_then(|it| it.threads.as_ref());
        looked.rename(names.unwrap_or(&BTreeMap::new()));
    }
    if let Some(folder) = &options.dump {
        dump(folder, &attached)?;
    }
    let report = report(&attached, notes);
    let text = if options.json {
        json(&attached, inside, &report)
    } else {
        text(options, &destination, &attached, &inside, &report)
    };
    destination.write(&text)?;
    Ok(Exit::Status(0))
}

/// The processes that are named, and what is to be said of that.
fn subjects(options: &AttachOptions) -> Result<(Vec<Subject>, Vec<String>), Error> {
    if let Some(pid) = options.job {
        living(pid)?;
        let (ranks, found) = cgsan_attach::job_of(pid).ok_or_else(|| Error::Attach {
            what: format!("process {pid} is not part of a job, and has started no ranks"),
            help: format!("look at it alone: cgsan attach {pid}"),
        })?;
        let how = match found {
            Found::Environment(job) => format!("by their environment ({job})"),
            Found::Spawned(parent) => format!("as what process {parent} has spawned"),
            Found::Ray => "as Ray's workers".to_owned(),
        };
        let note = format!(
            "{} processes of the job were found on this machine, {how}",
            ranks.len()
        );
        return Ok((ranks, vec![note]));
    }
    let mut subjects = Vec::new();
    let mut notes = Vec::new();
    for pid in &options.pids {
        let subject = living(*pid)?;
        let ranks = cgsan_attach::started_by(*pid);
        if !ranks.is_empty() {
            let ranks: Vec<String> = ranks.iter().map(|it| it.pid.to_string()).collect();
            notes.push(format!(
                "process {pid} has started the ranks of a job, which are processes {}: `cgsan attach --job {pid}` looks at them",
                ranks.join(", ")
            ));
        }
        if !subjects.contains(&subject) {
            subjects.push(subject);
        }
    }
    Ok((subjects, notes))
}

fn living(pid: u32) -> Result<Subject, Error> {
    Subject::of(pid).ok_or_else(|| Error::Attach {
        what: format!("there is no process {pid}, or it has ended"),
        help: "in a container, processes have other ids than outside: `ps -ef` here shows those of this one".to_owned(),
    })
}

/// Fails if nothing is to be said of one of the processes.
fn check(attached: &Attached) -> Result<(), Error> {
    for looked in &attached.processes {
        let pid = looked.subject.pid;
        if looked.look.threads.is_empty() {
            return Err(Error::Attach {
                what: format!("process {pid} has ended"),
                help: "its output and its exit status say why".to_owned(),
            });
        }
        if let Some(refusal) = cgsan_attach::refusal(looked) {
            return Err(Error::AttachRefused {
                what: refusal,
                help: what_to_set(&looked.subject),
            });
        }
        if !looked.look.is_python && !looked.uses_cuda() {
            let ranks = cgsan_attach::started_by(pid);
            let help = if ranks.is_empty() {
                "name a Python process: `ps -ef` lists them".to_owned()
            } else {
                format!("it has started the ranks of a job: cgsan attach --job {pid}")
            };
            return Err(Error::Attach {
                what: format!(
                    "process {pid} (`{}`) is not a Python program",
                    looked.subject.program()
                ),
                help,
            });
        }
    }
    Ok(())
}

/// What a process says of itself, or why it does not; an empty reason if it was not asked.
type Answer = Result<Inside, String>;

/// What each process says of itself, if it is to be asked.
fn ask(options: &AttachOptions, subjects: &[Subject]) -> Vec<Answer> {
    let ask = |subject| {
        if options.inside {
            cgsan_attach::ask(subject)
        } else {
            Err(String::new())
        }
    };
    subjects.iter().map(ask).collect()
}

/// What is to be noted of the answers of a process, before and after.
fn answered(subject: &Subject, before: &Answer, after: &Answer, time: Duration) -> Option<String> {
    let name = format!("process {}", subject.pid);
    match (before, after) {
        (Ok(before), Ok(after)) => {
            let growth = cgsan_attach::growth(before, after, time)?;
            Some(format!("{name}: {growth}"))
        }
        (_, Err(reason)) if !reason.is_empty() => Some(format!(
            "--inside: {name} did not answer: {reason}; what is said of it was seen from outside"
        )),
        _ => None,
    }
}

fn report(attached: &Attached, notes: Vec<String>) -> Report {
    let mut report = Report {
        notes: notes.into_iter().map(|it| Note::new(it, None)).collect(),
        ..Report::default()
    };
    if let Some(account) = &attached.account {
        match account.finding() {
            Some(mut finding) => {
                finding
                    .notes
                    .extend(cgsan_attach::of_stacks(&attached.processes));
                report.findings.push(finding);
            }
            None => report.notes.push(account.note()),
        }
    }
    report
}

/// Everything, for people.
fn text(
    options: &AttachOptions,
    destination: &Destination,
    attached: &Attached,
    inside: &[Option<Inside>],
    report: &Report,
) -> String {
    let look = Options {
        full: options.stack,
        several_processes: attached.processes.len() > 1,
        ..destination.look(&options.appearance)
    };
    let processes = attached.processes.iter().zip(inside);
    let texts: Vec<String> = processes
        .map(|(looked, inside)| cgsan_attach::text(looked, inside.as_ref(), options.stack))
        .collect();
    let roots: Vec<PathBuf> = attached.processes.iter().map(root).collect();
    let source = &mut |file: &Path| source(&roots, file);
    let findings = cgsan_render::findings(report, &look, source);
    let said = match report.findings.len() {
        0 => "no finding: something goes on, or may go on by itself\n",
        _ => "",
    };
    format!(
        "{}\n{findings}{said}",
        cgsan_render::shown(&texts.join("\n"))
    )
}

/// Below which folder the files of a process lie.
fn root(looked: &Looked) -> PathBuf {
    if looked.subject.is_elsewhere {
        return PathBuf::from(format!("/proc/{}/root", looked.subject.pid));
    }
    PathBuf::from("/")
}

/// The text of a source file, as one of the processes sees it.
fn source(roots: &[PathBuf], file: &Path) -> Option<String> {
    let file = file.strip_prefix("/").ok()?;
    let mut texts = roots.iter().map(|root| root.join(file));
    texts.find_map(|path| cgsan_files::read_text(&path, LARGEST_SOURCE).ok())
}

/// Everything, for programs.
fn json(attached: &Attached, inside: Vec<Option<Inside>>, report: &Report) -> String {
    #[derive(Serialize)]
    struct Document {
        version: u32,
        processes: Vec<ToldProcess>,
        report: serde_json::Value,
    }
    let processes = attached.processes.iter().zip(inside);
    let report = cgsan_render::json(report, &Run::default());
    let document = Document {
        version: VERSION,
        processes: processes
            .map(|(looked, inside)| ToldProcess::of(looked, inside))
            .collect(),
        report: serde_json::from_str(&report).unwrap_or_default(),
    };
    let text = serde_json::to_string_pretty(&document).unwrap_or_default();
    format!("{text}\n")
}

/// Writes a summary of each process.
fn dump(folder: &Path, attached: &Attached) -> Result<(), Error> {
    let failed = |path: &Path, reason: io::Error| Error::not_writable("--dump", path, reason);
    cgsan_files::private_folder(folder).map_err(|reason| failed(folder, reason))?;
    let mut written = Vec::new();
    for (looked, account) in attached.processes.iter().zip(&attached.accounts) {
        let path = folder.join(summaries::named(&name(looked)));
        let line = cgsan_attach::summary(looked, account.as_ref()).to_line();
        let line = line.map_err(|reason| failed(&path, io::Error::other(reason)))?;
        let begun = Begun::open(&path, Links::Part);
        let mut file = begun.map_err(|reason| Error::not_writable("--dump", &path, reason))?;
        let lines = format!("{}\n{line}\n", summary::header());
        file.write_all(lines.as_bytes())
            .map_err(|reason| failed(&path, reason))?;
        file.keep()
            .map_err(|reason| Error::not_writable("--dump", &path, reason))?;
        written.push(path);
    }
    tell_written(&written);
    Ok(())
}

/// What tells a process apart in a folder that several machines write into.
fn name(looked: &Looked) -> String {
    let subject = &looked.subject;
    let host = subject.host.as_deref().unwrap_or("host");
    let host: String = host
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        })
        .collect();
    match subject.place.rank {
        Some(rank) => format!("rank-{rank:05}-{host}-{}", subject.pid),
        None => format!("{host}-{}", subject.pid),
    }
}
