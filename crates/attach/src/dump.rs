//! What is known of a process that still runs, as the summary that `cgsan report` puts together with those of others.

use cgsan_diagnose::{Summary, own_location};
use cgsan_finding::{Coverage, Note, Report};
use cgsan_hangs::Account;
use cgsan_trace::{ProcessInfo, Rank, StackFrame};

use crate::looked::{Doing, Looked};
use crate::{told, words};

/// The summary of a process, of which there is an account if it stands still.
pub fn summary(looked: &Looked, account: Option<&Account>) -> Summary {
    let finding = account.and_then(Account::finding);
    let mut notes = Vec::from_iter(account.filter(|_| finding.is_none()).map(Account::note));
    if account.is_none() {
        notes.extend(goes_on(looked));
    }
    let unseen = looked.look.unseen.iter();
    notes.extend(unseen.map(|it| Note::new(format!("not seen: {it}"), None)));
    let place = &looked.subject.place;
    let rank = place.rank.map(|rank| Rank {
        rank,
        local_rank: place.local_rank,
        world_size: place.world_size,
    });
    let report = Report {
        findings: finding.into_iter().collect(),
        notes,
        coverage: Some(Coverage {
            processes: 1,
            ranks: place.rank.into_iter().collect(),
            ..Coverage::default()
        }),
        ..Report::default()
    };
    Summary::of_running(info(looked), rank, report)
}

fn info(looked: &Looked) -> ProcessInfo {
    let subject = &looked.subject;
    ProcessInfo {
        pid: subject.pid,
        arguments: subject.command.clone(),
        directory: String::new(),
        started: subject.started,
        python: looked.python_version().unwrap_or_default().to_owned(),
        torch: String::new(),
        device: String::new(),
        virtual_gpu: crate::is_virtual(&looked.look),
        rank: subject.place.rank,
        host: subject.host.clone(),
        started_ns: None,
        run: None,
        job: subject.place.job.clone(),
    }
}

/// Where the first thread is of a process that does not stand still. The words are the same for ranks that do the same.
fn goes_on(looked: &Looked) -> Option<Note> {
    let thread = looked.look.threads.first()?;
    let doing = looked.threads.first()?;
    let stack: Vec<StackFrame> = thread.python.iter().map(told::stack_frame).collect();
    let does = match doing {
        Doing {
            call: Some(call), ..
        } => format!("{} is in {}", doing.name, call.function),
        _ if thread.status.state == 'R' => format!("{} runs", doing.name),
        _ => {
            let awaited = cgsan_hangs::awaited(&thread.python).unwrap_or("something else");
            format!("{} waits for {awaited}", doing.name)
        }
    };
    let seen = words::time(looked.window);
    Some(Note::new(
        format!("does not stand still ({seen}): {does}"),
        own_location(&stack),
    ))
}
