//! CG214: graphs of one pool that are replayed in another order than they were captured in.

use super::judge::Judge;
use crate::draft::{Draft, Report, Rule, says};
use crate::finding::Confidence;
use crate::interp::Turns;
use crate::interp::value::{CellId, Value};
use crate::site::Site;
use crate::syntax::ast::TextRange;
use crate::torch::state::capture::CaptureId;
use crate::torch::state::layout::LaidOver;

/// A replay writes where another graph of the pool has an output that is still read.
pub(crate) static OUT_OF_ORDER: Rule = Rule::new("CG214", Confidence::Likely);

/// An output that the replay of another graph has overwritten.
#[derive(Debug)]
struct Overwritten {
    output: CellId,
    /// The graph that writes it.
    of: CaptureId,
    report: Report,
}

/// What is noted on the way.
#[derive(Debug, Default)]
struct Noted {
    /// Outputs of graphs that replays of others have overwritten.
    overwritten: Vec<Overwritten>,
}

/// A graph is replayed.
pub(super) fn replayed(judge: &mut Judge<'_, '_>, graph: CellId, id: CaptureId, site: Site) {
    let inputs = &judge.library.captures[id.0].inputs;
    let inputs: Vec<(CellId, Site)> = inputs.iter().map(|(cell, at)| (*cell, *at)).collect();
    for (input, at) in inputs {
        found(judge, input, at);
    }
    judge
        .notes
        .of_mut::<Noted>()
        .overwritten
        .retain(|it| it.of != id);
    let is_here = judge.graph(graph).is_some_and(|it| it.launched.is_some());
    if !is_here || !is_one(judge, id) {
        return;
    }
    let later = replayed_later_ones(judge, id);
    if later.is_empty() {
        return;
    }
    for over in judge.laid_over(id) {
        if later.contains(&over.of) {
            overwrites(judge, over, site);
        }
    }
}

/// The graphs of the pool that were captured after this one, and whose last replay came before this one's.
fn replayed_later_ones(judge: &Judge<'_, '_>, id: CaptureId) -> Vec<CaptureId> {
    let pool = judge.library.captures[id.0].pool;
    let all = (id.0 + 1..judge.library.captures.len()).map(CaptureId);
    let is_meant = |it: &CaptureId| {
        let capture = &judge.library.captures[it.0];
        let graph = capture.graph.and_then(|it| judge.graph(it));
        // What decides about this replay may also decide what is read.
        capture.pool == pool
            && judge.doubt() <= capture.doubt
            && is_one(judge, *it)
            && graph.is_some_and(|graph| {
                graph.capture == Some(*it) && graph.written.is_some() && !graph.lost
            })
    };
    all.filter(is_meant).collect()
}

/// Whether a capture stands for itself alone, and not for those of several turns of a loop.
pub(super) fn is_one(judge: &Judge<'_, '_>, id: CaptureId) -> bool {
    let mut loops = judge.library.captures[id.0].loops.iter();
    loops.all(|it| {
        judge.loops.around.contains(it) || matches!(judge.turns_in(*it), Some(Turns::Each(_)))
    })
}

/// The replay at `site` writes to an output of a later graph.
fn overwrites(judge: &mut Judge<'_, '_>, over: LaidOver, site: Site) {
    let LaidOver {
        output,
        of,
        under,
        is_sized,
    } = over;
    let made = judge.heap.tensor(output).map(|it| it.made);
    let is_known = judge
        .notes
        .of::<Noted>()
        .overwritten
        .iter()
        .any(|it| it.output == output);
    let Some(made) = made.filter(|_| !is_known) else {
        return;
    };
    let draft = Draft::new(&OUT_OF_ORDER, site, says::cg214::TITLE)
        .possible_if(!is_sized)
        .label(made, "the output, made by a graph that was captured later")
        .label(under, "this replay makes that in the same memory")
        .note(says::cg214::IN_ORDER)
        .help(says::cg214::clone("the output"));
    if let Some(report) = judge.report_of(draft) {
        let overwritten = Overwritten { output, of, report };
        judge.notes.of_mut::<Noted>().overwritten.push(overwritten);
    }
}

/// A tensor that a graph made is read outside captures.
pub(super) fn read(judge: &mut Judge<'_, '_>, tensor: CellId, range: TextRange) {
    let (root, site) = (judge.root(tensor), judge.at(range));
    found(judge, root, site);
}

/// A tensor is read here, which may be one that was overwritten.
fn found(judge: &mut Judge<'_, '_>, tensor: CellId, site: Site) {
    let mut overwritten = judge.notes.of::<Noted>().overwritten.iter();
    let Some(at) = overwritten.position(|it| it.output == tensor) else {
        return;
    };
    let mut report = judge
        .notes
        .of_mut::<Noted>()
        .overwritten
        .swap_remove(at)
        .report;
    report
        .draft
        .labels
        .push((site, "it is read here".to_owned()));
    judge.add(report);
}

/// A tensor is written in place.
pub(super) fn written<'p>(judge: &mut Judge<'_, 'p>, target: &Value<'p>) {
    if judge.notes.of::<Noted>().overwritten.is_empty() || !judge.flow.captures.is_empty() {
        return;
    }
    if let Value::Extension(target) = target {
        let root = judge.root(*target);
        judge
            .notes
            .of_mut::<Noted>()
            .overwritten
            .retain(|it| it.output != root);
    }
}
