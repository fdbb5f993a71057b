//! What a file does not have, in words.

use cgsan_finding::Gap;
use cgsan_timeline::{Lack, Source};

use crate::indexed::Indexed;
use crate::performance::Steps;
use crate::step::{Found, Step};
use crate::{Input, Options};

/// What could not be measured.
pub(crate) fn of(
    input: &Input<'_>,
    windows: &[(Indexed<'_>, Vec<Step>)],
    steps: &Steps,
    options: &Options,
) -> Vec<Gap> {
    let mut gaps: Vec<Gap> = Vec::new();
    let mut add = |what: String, why: Option<&str>| {
        let gap = Gap::new(what, why);
        if !gaps.contains(&gap) {
            gaps.push(gap);
        }
    };
    for timeline in input.timelines {
        for lack in &timeline.lacks {
            if let Some((what, why)) = lacking(lack, timeline.source, input.lines.is_some()) {
                add(what, why);
            }
        }
    }
    if let Some(marker) = &options.step_marker
        && !matches!(steps.found, Found::Marked { .. })
    {
        add(
            format!("ranges named `{marker}`"),
            Some("none has launches; steps were found without them"),
        );
    }
    let others = windows.iter().map(|it| it.0.other_devices).max();
    if let Some(others) = others.filter(|it| *it > 0) {
        add(
            format!("{others} more devices"),
            Some("the one with the most work was judged"),
        );
    }
    gaps
}

fn lacking(lack: &Lack, source: Source, has_lines: bool) -> Option<(String, Option<&'static str>)> {
    Some(match lack {
        Lack::End(at) => (
            format!("what came after byte {at}"),
            Some("the file breaks off there, as if the profiler had been killed"),
        ),
        Lack::Work if source == Source::Cgsan => (
            "times of the device".to_owned(),
            Some("a trace of cgsan has only the calls of the host"),
        ),
        Lack::Work => (
            "times of the device".to_owned(),
            Some("profile with `ProfilerActivity.CUDA`, on a GPU"),
        ),
        Lack::Calls => (
            "calls of the host".to_owned(),
            Some("without them nothing says when work was launched"),
        ),
        Lack::Stacks if has_lines || source == Source::Cgsan => return None,
        Lack::Stacks if source == Source::Nsight => return None,
        Lack::Stacks => (
            "lines of the program".to_owned(),
            Some("profile with `with_stack=True`"),
        ),
        Lack::Nodes => (
            "the nodes of replays".to_owned(),
            Some("profile with `--cuda-graph-trace=node`"),
        ),
        Lack::Events(count) => (
            format!("{count} events"),
            Some("more than are kept; profile fewer steps"),
        ),
        Lack::Processes(others) => (
            format!("{others} more processes"),
            Some("profile each into a file of its own"),
        ),
    })
}
