//! CG101: the host waits for the device inside a capture.

use super::judge::Judge;
use super::{compiler, threads};
use crate::draft::{Argument, Draft, Repair, Rule, says};
use crate::finding::Confidence;
use crate::syntax::ast::TextRange;
use crate::torch::state::event::Wait;
use crate::torch::state::object::Mode;

/// The host waits.
pub(crate) static HOST_SYNC: Rule = Rule::new("CG101", Confidence::Confirmed);

/// The host waits for the device.
pub(super) fn waits(judge: &mut Judge<'_, '_>, wait: Wait, unknown: bool, range: TextRange) {
    if judge.flow.foreign.is_some() {
        if !unknown {
            threads::waited(judge, wait, range);
        }
        return;
    }
    if judge.is_compiling() {
        if let Wait::Read(what) = wait {
            compiler::read(judge, what, range);
        }
        return;
    }
    let Some(id) = judge.graph_capture() else {
        return;
    };
    let awaited = match wait {
        Wait::Device => None,
        Wait::Stream(stream) => Some(stream),
        Wait::Read(_) | Wait::Shape(_) | Wait::Copy | Wait::Check(_) => judge.flow.stream,
    };
    if matches!(
        judge.library.captures[id.0].mode,
        Mode::Relaxed | Mode::Unknown
    ) && awaited.is_some_and(|it| judge.capture_of(it) != Some(id))
    {
        return;
    }
    let site = judge.at(range);
    let draft = Draft::new(&HOST_SYNC, site, title(wait))
        .note("a capture records work and runs none: there is nothing yet that the host could read or wait for")
        .help(help(wait))
        .possible_if(unknown)
        .repair(match wait {
            Wait::Copy => Repair::Pass(site, Argument::safe("non_blocking", "True")),
            _ => Repair::ReadLater(judge.shown(id), site),
        });
    judge.report(draft);
}

fn title(wait: Wait) -> String {
    match wait {
        Wait::Read(what) => format!("{what} reads a value from the device inside a capture"),
        Wait::Shape(what) => {
            format!("{what} has a result whose size the host must know, inside a capture")
        }
        Wait::Device => "the host waits for the whole device inside a capture".to_owned(),
        Wait::Stream(_) => "the host waits for a stream inside a capture".to_owned(),
        Wait::Copy => {
            "a copy without `non_blocking=True` waits for the device inside a capture".to_owned()
        }
        Wait::Check(what) => format!("{what} waits for the device inside a capture"),
    }
}

fn help(wait: Wait) -> &'static str {
    match wait {
        Wait::Read(_) => says::cg101::READ_LATER,
        Wait::Shape(_) => says::cg101::FIXED_SHAPE,
        Wait::Device | Wait::Stream(_) | Wait::Check(_) => says::cg101::MOVE_OUT,
        Wait::Copy => "pass `non_blocking=True`",
    }
}
