//! Replays and eager operators on other streams that write what they read.

use cgsan_model::{Call, NodeKind};
use cgsan_trace::{Argument, TensorRecord};

use crate::support::{DEEP, ORIGIN, Program, SIDE, sized, tensor};

const X: u64 = 0x1000;
const Y: u64 = 0x2000;
const SOURCE: u64 = 0x3000;

/// Captures what reads `read`, writes `written` on one stream at line 8, and replays the graph on another one at line 9.
fn written_on_another_stream(
    mut program: Program,
    [read, written]: [Argument; 2],
    between: impl FnOnce(&mut Program),
) -> Vec<String> {
    program.line(3).make("ones", ORIGIN, &[], X);
    program.line(4).make("ones", DEEP, &[], SOURCE);
    program.wait_stream(SIDE, ORIGIN);
    program.line(5).graph(1, |it| {
        it.line(6).block(Y);
        it.operator("mul", ORIGIN, &[read], &[tensor(Y)]);
    });
    let into = written.clone();
    program
        .line(8)
        .operator("copy_", DEEP, &[written, tensor(SOURCE)], &[into]);
    between(&mut program);
    program.line(9).replay_on(SIDE, 1);
    let notes = program.diagnose().notes.into_iter();
    let told = notes.filter(|note| note.text.starts_with("nothing orders this replay"));
    told.map(|note| {
        let line = note.location.map(|place| place.line);
        format!("{line:?}: {}", note.text)
    })
    .collect()
}

fn part(offset: u64) -> Argument {
    let Argument::Tensor(tensor) = sized(X, &[8]) else {
        return Argument::Other;
    };
    Argument::Tensor(TensorRecord { offset, ..tensor })
}

#[test]
fn a_replay_that_does_not_wait_for_its_input() {
    let all = [tensor(X), tensor(X)];
    let notes = written_on_another_stream(Program::on_virtual_gpu(), all, |_| {});
    insta::assert_snapshot!(notes.join("\n"));
}

#[test]
fn a_replay_that_waits_for_its_input() {
    let waits: [fn(&mut Program); 3] = [
        |it| it.wait_stream(SIDE, DEEP),
        |it| {
            it.call(Call::StreamSynchronize { stream: DEEP });
        },
        // It may tell the host that all is done.
        |it| {
            it.call(Call::Work {
                stream: DEEP,
                node: NodeKind::Host { function: 1 },
            });
        },
    ];
    for wait in waits {
        let all = [tensor(X), tensor(X)];
        let notes = written_on_another_stream(Program::on_virtual_gpu(), all, wait);
        assert_eq!(notes, [""; 0]);
    }
}

/// Notes where a copy to the input enqueues its work on one stream, and has the one that replays wait before or behind it, as PyTorch's
/// copies between devices do.
fn copied_with_a_wait_inside(waits_behind: bool) -> usize {
    let all = [tensor(X), tensor(X)];
    let notes = written_on_another_stream(Program::on_virtual_gpu(), all, |it| {
        it.wait_stream(SIDE, DEEP);
        it.begin_operator("copy_", &[tensor(X), tensor(SOURCE)]);
        if !waits_behind {
            it.wait_stream(SIDE, DEEP);
        }
        it.launch(DEEP);
        if waits_behind {
            it.wait_stream(SIDE, DEEP);
        }
        it.end_operator(&[tensor(X)]);
    });
    notes.len()
}

#[test]
fn a_copy_has_the_stream_of_its_destination_wait() {
    assert_eq!(copied_with_a_wait_inside(true), 0);
    assert_eq!(copied_with_a_wait_inside(false), 1);
}

#[test]
fn parts_of_one_tensor_are_written_and_read() {
    let run = |parts| written_on_another_stream(Program::on_virtual_gpu(), parts, |_| {}).len();
    assert_eq!(run([part(0), part(8)]), 0);
    assert_eq!(run([part(8), part(8)]), 1);
    assert_eq!(run([part(8), tensor(X)]), 1);
}

#[test]
fn on_a_real_gpu_not_each_wait_is_seen() {
    let all = [tensor(X), tensor(X)];
    let notes = written_on_another_stream(Program::new(), all, |_| {});
    assert_eq!(notes, [""; 0]);
}
