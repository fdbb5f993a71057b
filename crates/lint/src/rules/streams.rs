//! Streams that take part in a capture, or do not: CG103, CG105, CG106, CG107, CG206, CG506.

use super::judge::Judge;
use super::memory;
use crate::draft::{Draft, Repair, Report, Rule, says};
use crate::finding::Confidence;
use crate::interp::value::CellId;
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::Interp;
use crate::torch::state::capture::{CaptureId, CaptureKind};
use crate::torch::state::object::{Mode, Recorded};

/// Memory is asked for on a stream outside the capture.
pub(crate) static ALLOCATION_OUTSIDE_POOL: Rule = Rule::new("CG103", Confidence::Likely);
/// Work on a stream that never waited for the capture.
pub(crate) static NOT_FORKED: Rule = Rule::new("CG105", Confidence::Confirmed);
/// A forked stream is not joined.
pub(crate) static NOT_REJOINED: Rule = Rule::new("CG106", Confidence::Confirmed);
/// The capture waits for work outside.
pub(crate) static UNCAPTURED_WORK: Rule = Rule::new("CG107", Confidence::Confirmed);
/// One capture waits for another.
pub(crate) static MERGED: Rule = Rule::new("CG126", Confidence::Confirmed);
/// Work on a stream outside the capture is no part of the graph.
pub(crate) static LEFT_OUT: Rule = Rule::new("CG206", Confidence::Likely);
/// More branches than the device runs side by side.
pub(crate) static TOO_MANY: Rule = Rule::new("CG506", Confidence::Likely);

/// The most branches of a replay that were seen to run at once (catalogue, CG506).
const AT_ONCE: usize = 26;

/// Work on another stream, found while a capture runs.
#[derive(Debug)]
struct LeftOut {
    capture: CaptureId,
    stream: CellId,
    report: Report,
}

/// What is noted on the way.
#[derive(Debug, Default)]
struct Noted {
    /// Work on streams that are no part of a capture.
    left_out: Vec<LeftOut>,
}

/// The stream's name in the program, and in code that stands for it.
fn names(state: &Interp<'_>, stream: CellId) -> (Option<String>, String) {
    let name = state.name_of(stream);
    let code = name.clone().unwrap_or_else(|| "stream".to_owned());
    (name, code)
}

/// Work on the current stream.
pub(super) fn works(judge: &mut Judge<'_, '_>, allocates: bool, range: TextRange) {
    if allocates {
        memory::allocated(judge);
    }
    let Some((id, stream)) = judge.outside() else {
        return;
    };
    let site = judge.at(range);
    if judge.is_on_default_stream() {
        let draft = Draft::new(
            &LEFT_OUT,
            site,
            "this runs on the default stream, and is not part of the graph",
        )
        .note(says::cg206::NOT_REPEATED)
        .help(says::cg105::SIDE_STREAM);
        judge.report(draft);
    } else if forbids(judge, id) {
        // Whoever captures in mode `relaxed` may mean to work elsewhere.
        if allocates {
            let title = match judge.name_of(stream) {
                Some(name) => format!("`{name}` is used, and is not part of the capture"),
                None => "a stream is used that is not part of the capture".to_owned(),
            };
            not_forked(judge, site, stream, title);
        } else {
            left_out(judge, id, stream, site);
        }
    }
}

/// Work on another stream than the default one, which is said once the capture ends: should it wait for that stream, it fails.
fn left_out(judge: &mut Judge<'_, '_>, id: CaptureId, stream: CellId, site: Site) {
    let told = &judge.notes.of::<Noted>().left_out;
    if told
        .iter()
        .any(|it| it.capture == id && it.stream == stream)
    {
        return;
    }
    let (name, code) = names(judge, stream);
    let title = match name {
        Some(name) => format!("this runs on `{name}`, and is not part of the graph"),
        None => "this runs on another stream, and is not part of the graph".to_owned(),
    };
    let draft = Draft::new(&LEFT_OUT, site, title)
        .note(says::cg206::NOT_REPEATED)
        .help(says::cg105::fork(&code))
        .help(says::cg105::join(&code));
    if let Some(report) = judge.report_of(draft) {
        judge.notes.of_mut::<Noted>().left_out.push(LeftOut {
            capture: id,
            stream,
            report,
        });
    }
}

/// What a capture will fail with is reported: what it leaves out does not matter.
fn fails(judge: &mut Judge<'_, '_>, draft: Draft) {
    if let Some(id) = judge.graph_capture() {
        judge
            .notes
            .of_mut::<Noted>()
            .left_out
            .retain(|it| it.capture != id);
    }
    judge.report(draft);
}

/// Memory is asked for, and nothing else is done.
pub(super) fn allocates(judge: &mut Judge<'_, '_>, range: TextRange) {
    let Some((id, stream)) = judge.outside() else {
        return;
    };
    if !forbids(judge, id) {
        return;
    }
    let site = judge.at(range);
    if !judge.is_on_default_stream() {
        let title = match judge.name_of(stream) {
            Some(name) => {
                format!("memory is allocated on `{name}`, which is not part of the capture")
            }
            None => "memory is allocated on a stream that is not part of the capture".to_owned(),
        };
        not_forked(judge, site, stream, title);
        return;
    }
    let title = "memory is allocated on the default stream, which is not part of the capture";
    let draft = Draft::new(&ALLOCATION_OUTSIDE_POOL, site, title)
        .note(says::cg103::POOL)
        .help(says::cg103::ALLOCATE_BEFORE);
    judge.report(draft);
}

/// Whether a capture is known to forbid its thread what is unsafe on other streams, as memory from the driver is.
fn forbids(state: &Interp<'_>, id: CaptureId) -> bool {
    matches!(
        state.library.captures[id.0].mode,
        Mode::Global | Mode::ThreadLocal
    )
}

fn not_forked(judge: &mut Judge<'_, '_>, site: Site, stream: CellId, title: String) {
    let capture = judge.graph_capture();
    let (_, code) = names(judge, stream);
    let draft = Draft::new(&NOT_FORKED, site, title)
        .note("it never waited for the capturing stream, so its work is not recorded")
        .help(says::cg105::fork(&code))
        .help(says::cg105::join(&code))
        .repair(capture.map(|id| Repair::Fork(judge.shown(id), site)));
    fails(judge, draft);
}

/// In a capture, a stream waits for work that is not part of it, or the default stream for the capture: refused.
pub(super) fn wait_refused(
    judge: &mut Judge<'_, '_>,
    awaited: CellId,
    capture: Option<CaptureId>,
    range: TextRange,
) {
    let Some(id) = judge.graph_capture() else {
        return;
    };
    let site = judge.at(range);
    if capture == Some(id) {
        let draft = Draft::new(
            &NOT_FORKED,
            site,
            "the default stream waits for the capture, but cannot become part of it",
        )
        .note("what waits for the capture becomes part of it, and the default stream is refused there")
        .help(says::cg105::SIDE_STREAM);
        fails(judge, draft);
        return;
    }
    if let Some(other) = capture {
        merges(judge, other, site);
        return;
    }
    let worked = judge
        .stream(awaited)
        .and_then(|it| it.worked_outside)
        .filter(|(of, _)| *of == id);
    let (name, code) = names(judge, awaited);
    let title = match name {
        Some(name) => format!("the capture waits for `{name}`, which is not part of it"),
        None => "the capture waits for a stream that is not part of it".to_owned(),
    };
    match worked {
        Some((_, at)) => {
            let draft = Draft::new(&NOT_FORKED, site, title)
                .label(at, "work was put on that stream here")
                .help(says::cg105::fork(&code));
            if !judge.has_reported(&NOT_FORKED, at) {
                fails(judge, draft);
            }
        }
        None => uncaptured(judge, site, None, title),
    }
}

/// A stream waits for an event that was recorded.
pub(super) fn waits_for_event(
    judge: &mut Judge<'_, '_>,
    waiter: CellId,
    event: CellId,
    recorded: &Recorded,
    range: TextRange,
) {
    if judge.event(event).is_some_and(|it| it.external) {
        return;
    }
    let Some(id) = judge.graph_capture() else {
        super::queries::of_finished_capture(judge, event, range);
        return;
    };
    let site = judge.at(range);
    if let Some(of) = recorded.capture {
        if of != id {
            merges(judge, of, site);
        }
        return;
    }
    if judge.capture_of(waiter) == Some(id) && judge.library.captures[id.0].stream.is_some() {
        let title = match judge.name_of(event) {
            Some(name) => format!("the capture waits for `{name}`, which was recorded outside it"),
            None => "the capture waits for an event that was recorded outside it".to_owned(),
        };
        uncaptured(judge, site, Some(recorded.site), title);
    }
}

/// One capture waits for work of another.
fn merges(judge: &mut Judge<'_, '_>, other: CaptureId, site: Site) {
    if judge.flow.captures.contains(&other) {
        let begin = judge.library.captures[other.0].site;
        let draft = Draft::new(&MERGED, site, says::cg126::MERGES)
            .label(begin, "the other capture began here")
            .help(says::cg126::ONE_GRAPH);
        fails(judge, draft);
    }
}

fn uncaptured(judge: &mut Judge<'_, '_>, site: Site, recorded: Option<Site>, title: String) {
    let mut draft = Draft::new(&UNCAPTURED_WORK, site, title)
        .help(says::cg107::wait_before("it"))
        .repair(
            judge
                .graph_capture()
                .map(|id| Repair::DoEarlier(judge.shown(id), site, "wait before the capture")),
        );
    if let Some(recorded) = recorded {
        draft = draft.label(recorded, "it was recorded here");
    }
    fails(judge, draft);
}

/// A capture ends: each stream with work must be known to its origin.
pub(super) fn capture_ends(judge: &mut Judge<'_, '_>, id: CaptureId) {
    let (told, rest): (Vec<_>, Vec<_>) =
        std::mem::take(&mut judge.notes.of_mut::<Noted>().left_out)
            .into_iter()
            .partition(|it| it.capture == id);
    judge.notes.of_mut::<Noted>().left_out = rest;
    for it in told {
        judge.add(it.report);
    }
    let capture = &judge.library.captures[id.0];
    if capture.kind != CaptureKind::Graph
        || capture.mode == Mode::Unknown && capture.stream.is_none()
    {
        return;
    }
    let Some(origin) = capture.stream else {
        return;
    };
    let (begin, members) = (capture.site, capture.members.clone());
    // The driver refuses the end, which a `with` statement has no line for.
    let end = capture.ended.unwrap_or(begin);
    let Some(knows) = judge.stream(origin).map(|it| it.knows.clone()) else {
        return;
    };
    let (mut forks, mut lost) = (Vec::new(), Vec::new());
    for member in members.iter().filter(|it| **it != origin) {
        let Some(stream) = judge.stream(*member) else {
            continue;
        };
        let done = stream.knows.get(member).copied().unwrap_or(0);
        let seen = knows.get(member).copied().unwrap_or(0);
        let Some((of, Some(fork))) = stream.member else {
            continue;
        };
        let worked = judge.library.captures[id.0].worked.contains(member);
        if of == id && worked && seen < done && !stream.lost {
            forks.push(fork);
            lost.push(*member);
        }
    }
    let branches = branches(judge, id, &members);
    too_many(judge, begin, branches);
    if forks.is_empty() {
        return;
    }
    // Members have no order that a person would know.
    let mut named: Vec<_> = lost.iter().map(|it| names(judge, *it)).collect();
    named.sort();
    named.dedup();
    let title = match named.as_slice() {
        [(Some(name), _)] => {
            format!("`{name}` was forked from this capture and never joined again")
        }
        _ => "a stream was forked from this capture and never joined again".to_owned(),
    };
    let mut draft = Draft::new(&NOT_REJOINED, end, title).note(
        "a capture cannot end while there is work in it that its origin stream has not waited for",
    );
    for (name, code) in &named {
        let which = name
            .as_ref()
            .map_or_else(|| "it".to_owned(), |it| format!("`{it}`"));
        draft = draft.help(says::cg106::join(which, code));
    }
    for fork in &forks {
        draft = draft.label(*fork, "it was forked here");
    }
    let draft = draft.possible_if(judge.library.streams.are_replaced);
    judge.report(draft.repair(Repair::Join(judge.shown(id), forks)));
}

/// How many streams of a capture end in work that no other one has waited for.
fn branches(judge: &Judge<'_, '_>, id: CaptureId, members: &[CellId]) -> usize {
    let capture = &judge.library.captures[id.0];
    let others = || {
        members
            .iter()
            .copied()
            .filter(|it| Some(*it) != capture.stream)
    };
    let known = |stream: CellId, by: CellId| {
        let knows = judge.stream(by).map(|it| &it.knows);
        knows.and_then(|it| it.get(&stream)).copied().unwrap_or(0)
    };
    let is_end = |stream: &CellId| {
        let done = known(*stream, *stream);
        // Where it is not known which of several streams works, none has done anything.
        done == 0 || others().all(|by| by == *stream || known(*stream, by) < done)
    };
    others().filter(is_end).count()
}

fn too_many(judge: &mut Judge<'_, '_>, begin: Site, branches: usize) {
    if branches <= AT_ONCE {
        return;
    }
    let draft = Draft::new(
        &TOO_MANY,
        begin,
        format!("{branches} branches in one graph"),
    )
    .note(says::cg506::rounds(AT_ONCE))
    .help(says::cg506::FEWER);
    judge.report(draft);
}
