//! Changes of the source that repair what was found: worked out from what the rules reported and the syntax tree, once the
//! program has been followed.

mod arguments;
mod buffers;
mod change;
mod hoist;
mod imported;
mod kept;
mod moved;
mod names;
mod place;
mod region;
mod streams;

use crate::draft::{Repair, Report};
use crate::finding::{Finding, Fix};
use crate::project::Project;
use crate::site::Site;

/// Bytes of source that are gone through for repairs of one file's findings, at most.
const MOST: usize = 64 << 20;

/// What was reported, with what repairs it.
pub(crate) fn findings(project: &Project, reports: Vec<Report>) -> Vec<Finding> {
    let mut left = MOST;
    let mut fix = |site: Site, repair: Repair| {
        let length = project.source(site.file).text.len();
        let rest = left.checked_sub(length);
        left = rest.unwrap_or(0);
        rest.and_then(|_| worked_out(project, repair))
    };
    reports
        .into_iter()
        .map(|mut report| {
            let repair = report.draft.repair.take();
            let fix = repair.and_then(|it| fix(report.draft.site, it));
            report.into_finding(project, fix)
        })
        .collect()
}

/// What a repair changes.
fn worked_out(project: &Project, repair: Repair) -> Option<Fix> {
    let change = match repair {
        Repair::ReadLater(id, site) => moved::behind(project, id, site),
        Repair::DoEarlier(id, site, title) => moved::ahead(project, id, site, title),
        Repair::WarmUp(id, site) => hoist::warm_up(project, id, site),
        Repair::Communicate(id, site) => hoist::communicate(project, id, site),
        Repair::MakeEarlier(id, site) => hoist::constant(project, id, site),
        Repair::PinEarlier(id, site) => hoist::pinned(project, id, site),
        Repair::CopyEarlier(id, site) => buffers::copy(project, id, site),
        Repair::Refill(site, made) => buffers::refill(project, site, made),
        Repair::Clone(site) => kept::clone(project, site),
        Repair::CloneStored(site) => kept::clone_stored(project, site),
        Repair::Pass(site, argument) => arguments::set(project, site, argument),
        Repair::ThreadLocal(id) => arguments::thread_local(project, id),
        Repair::Register(id, site) => hoist::register(project, id, site),
        Repair::Fork(id, site) => streams::fork(project, id, site),
        Repair::Join(id, forks) => streams::join_all(project, id, &forks),
        Repair::OwnStream(site) => streams::own(project, site),
        Repair::SideStream(site) => streams::side(project, site),
        Repair::Keep(site) => kept::keep(project, site),
        Repair::KeepBeside(id, made) => kept::keep_beside(project, id, made),
        Repair::Wait(site) => kept::wait(project, site),
        Repair::Reset(id, site) => kept::reset(project, id, site),
        Repair::SharePool(id) => hoist::pool(project, id),
    }?;
    Some(Fix {
        title: change.title,
        safe: change.safe,
        file: project.path(change.file).to_owned(),
        edits: change.edits,
    })
}
