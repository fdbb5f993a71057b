//! CG303: every graph has a memory pool of its own.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, says};
use crate::subjects::{Pool, size};
use crate::waste::{Change, Kind};

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG303",
    check: Check::Pool(check),
};

/// Signal: pools of living graphs have free blocks at the same time, no replays of theirs may run at once, and nothing reads an
/// output after a replay of another graph that could have been given its memory.
fn check(pool: &Pool<'_, '_>) -> Option<Verdict> {
    let Kind::OwnPools {
        captures, pools, ..
    } = &pool.waste.kind
    else {
        return None;
    };
    let verdict = Verdict::new(
        Confidence::Likely,
        format!(
            "{} graphs allocate from {pools} memory pools",
            captures.len()
        ),
        "this capture has a pool of its own, beside another with free memory",
    )
    .label(pool.began(captures[0]), "the first graph was captured here")
    .note(pool.saves(match pool.saving.change {
        Change::Plain => "sharing one pool",
        Change::LargestFirst => "sharing one pool, with the largest graph captured first,",
    }));
    let verdict = match pool.saving.plain {
        Some(bytes) => verdict.note(format!(
            "in the order in which they are captured now, sharing saves {}",
            size(bytes)
        )),
        None => verdict,
    };
    Some(
        verdict
            .help(says::cg303::SHARE)
            .help(says::cg303::ONE_AT_A_TIME)
            .help("in vLLM and SGLang: capture fewer sizes (`cudagraph_capture_sizes`, `--cuda-graph-bs`), or leave more room for the pools (a lower `gpu_memory_utilization`, `--mem-fraction-static`)"),
    )
}
