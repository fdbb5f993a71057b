//! `CG3xx`: memory that graphs hold, by what the allocator tells and what trials see.

use std::collections::BTreeSet;

use cgsan_diagnose::diagnose_all;
use cgsan_diagnose::trial::{Outcome, Reserved, Step, Trial};
use cgsan_finding::Report;
use cgsan_trace::{AgentEvent, DeviceMemory, MemoryMoment, PoolMemory, Segment};

use crate::support::{ORIGIN, Program};

const MIB: u64 = 1 << 20;

/// What the allocator tells: pools with their sizes, all free, each one segment that begins at its number × 16 GiB.
fn memory(moment: MemoryMoment, pools: &[(u64, u64)], news: usize) -> AgentEvent {
    let reserved = pools.iter().map(|(_, bytes)| bytes).sum();
    let start = |pool: u64| pool << 34;
    AgentEvent::Memory {
        moment,
        devices: vec![DeviceMemory {
            reserved,
            reserved_peak: reserved,
            ..DeviceMemory::default()
        }],
        pools: Some(
            pools
                .iter()
                .map(|(pool, bytes)| PoolMemory {
                    pool: (*pool, 0),
                    segments: 1,
                    reserved: *bytes,
                    largest: *bytes,
                    ..PoolMemory::default()
                })
                .collect(),
        ),
        segments: pools[pools.len() - news..]
            .iter()
            .map(|(pool, bytes)| Segment {
                device: 0,
                address: start(*pool),
                bytes: *bytes,
                pool: (*pool, 0),
                stream: 16,
            })
            .collect(),
        gone: Vec::new(),
        pending: Vec::new(),
        settings: None,
        only: None,
    }
}

/// Two graphs at lines 4 and 8, each with a pool of its own and a temporary of this size in it.
fn two_graphs(bytes: u64) -> Program {
    let mut program = Program::on_virtual_gpu();
    let mut pools = Vec::new();
    for (number, line) in [(1, "train.py:4 <module>"), (2, "train.py:8 <module>")] {
        program.at(&[line]);
        program.agent(memory(MemoryMoment::BeforeCapture, &pools, 0));
        pools.push((number, bytes));
        let told = memory(MemoryMoment::CaptureEnds, &pools, 1);
        program.graph(number, |it| {
            let address = number << 34;
            it.begin_operator("mul", &[])
                .sized_block(address, bytes)
                .launch(ORIGIN)
                .end_operator(&[]);
            it.free(address);
            it.agent(told);
        });
        program.agent(AgentEvent::GraphCaptured {
            graph: number,
            pool: Some((number, 0)),
            names: Vec::new(),
        });
    }
    program
}

fn report(program: &mut Program, mut attempt: impl FnMut(&Trial) -> Outcome) -> Report {
    let trace = program.trace();
    diagnose_all(&[&trace], &BTreeSet::new(), &mut |_, trial| attempt(trial))
}

fn looks(of_graphs: [u64; 2]) -> Vec<Reserved> {
    let look = |of_graphs| Reserved {
        all: of_graphs,
        of_graphs,
    };
    of_graphs.map(look).to_vec()
}

#[test]
fn a_saving_that_was_tried_is_told() {
    let report = report(&mut two_graphs(256 * MIB), |trial| {
        let pools = trial.runs.iter().map(|run| {
            let begins = run.steps.iter().filter_map(|step| match step {
                Step::Begin { pool, .. } => Some(*pool),
                _ => None,
            });
            begins.collect::<BTreeSet<_>>().len()
        });
        assert_eq!(pools.collect::<Vec<_>>(), [2, 1, 1]);
        let recorded = looks([256 * MIB, 512 * MIB]);
        let shared = looks([256 * MIB, 256 * MIB]);
        Some(vec![recorded, shared.clone(), shared])
    });
    let [finding] = report.findings.as_slice() else {
        panic!("{:?}", report.findings);
    };
    assert_eq!(finding.id, "CG303");
    assert_eq!(finding.location.as_ref().map(|it| it.line), Some(8));
    let note = &finding.notes[0];
    assert!(
        note.contains("saves 256 MiB, 50 %") && note.contains("tried"),
        "{note}"
    );
    let held = report.memory.expect("what was held");
    assert_eq!(held[0].moments.len(), 4);
    assert_eq!(held[0].moments[3].reserved, 512 * MIB);
    assert_eq!(held[0].graphs[1].peak, 256 * MIB);
}

#[test]
fn a_change_that_saves_nothing_is_not_told() {
    let report = report(&mut two_graphs(256 * MIB), |trial| {
        let same = looks([256 * MIB, 512 * MIB]);
        Some(vec![same; trial.runs.len()])
    });
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}

#[test]
fn where_the_recorded_sequence_reserves_something_else_the_sizes_of_blocks_count() {
    let report = report(&mut two_graphs(256 * MIB), |trial| {
        Some(vec![looks([MIB, MIB]); trial.runs.len()])
    });
    let notes = &report.findings[0].notes;
    assert!(
        notes[0].contains("up to 256 MiB") && notes[0].contains("not tried"),
        "{notes:?}"
    );
}

#[test]
fn small_graphs_with_pools_of_their_own_are_left_alone() {
    let report = report(&mut two_graphs(2 * MIB), |_| {
        panic!("nothing is worth a trial")
    });
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}
