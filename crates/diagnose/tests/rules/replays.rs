//! CG203, CG204, CG206, CG208 to CG210, CG214 to CG218: replays of graphs whose memory others use.

use cgsan_finding::Confidence;
use cgsan_model::Call;
use cgsan_trace::{AgentEvent, Argument, Record};

use crate::support::{
    DEEP, LEGACY, MAIN, ORIGIN, Program, SIDE, autocast_exits, exec, host, observed, sized, tensor,
};

/// Addresses of blocks and of pinned memory.
const X: u64 = 0x1000;
const Y: u64 = 0x2000;
const OTHER: u64 = 0x3000;
const PINNED: u64 = 0x8000;
const OTHER_PINNED: u64 = 0x9000;
/// Addresses in the pool of the graphs.
const FIRST: u64 = 0x1_0000;
const SECOND: u64 = 0x1_1000;

/// Makes `X` at line 3 and captures `Y = X * 2` at line 6.
fn reading_x() -> Program {
    let mut program = Program::new();
    program.line(3).make("ones", LEGACY, &[], X);
    program.line(5).graph(1, |it| {
        it.line(6).captured("mul", X, Y);
    });
    program
}

/// The id and the line of each finding.
fn places(program: &mut Program) -> Vec<(&'static str, u32)> {
    let report = program.diagnose();
    report
        .findings
        .iter()
        .map(|finding| (finding.id, finding.location.as_ref().unwrap().line))
        .collect()
}

#[test]
fn an_input_is_freed_and_its_memory_given_to_another() {
    let mut program = reading_x();
    program.line(8).free(X);
    program.line(9).make("randn", LEGACY, &[], X);
    program.line(10).replay(1);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn an_input_is_freed_and_its_memory_is_nobodys_yet() {
    let mut program = reading_x();
    program.line(8).free(X);
    program.line(10).replay(1).replay(1);
    let report = program.diagnose();
    let [finding] = &report.findings[..] else {
        panic!("{report:#?}");
    };
    assert_eq!(finding.id, "CG209");
    assert_eq!(finding.confidence, Confidence::Likely);
    assert_eq!(observed(finding).count, 2);
}

#[test]
fn an_input_gets_other_memory_by_an_operator() {
    let mut program = reading_x();
    program
        .line(8)
        .begin_operator("resize_", &[tensor(X)])
        .sized_block(OTHER, 4096)
        .free(X)
        .end_operator(&[tensor(OTHER)]);
    program.line(10).replay(1);
    insta::assert_snapshot!(program.describe());
}

/// A graph reads at line 8 the output of another one, which goes; an eager tensor gets its memory or memory of its own.
fn reading_what_another_graph_left(eager: u64) -> Program {
    let mut program = Program::new();
    program.line(3).make("ones", LEGACY, &[], X);
    program.line(5).graph(1, |it| {
        it.line(6).captured("mul", X, FIRST);
    });
    program.line(7).graph(2, |it| {
        it.line(8).captured("mul", FIRST, SECOND);
    });
    program.line(9).replay(1).free(FIRST);
    program.line(10).make("ones", LEGACY, &[], eager);
    program.line(11).replay(2);
    program
}

#[test]
fn the_pool_of_another_graph_is_gone_and_its_memory_given_to_another() {
    let mut program = reading_what_another_graph_left(FIRST);
    assert_eq!(places(&mut program), [("CG209", 11)]);
}

#[test]
fn the_output_of_another_graph_is_freed_and_its_pool_is_kept() {
    let mut program = reading_what_another_graph_left(OTHER);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn an_input_is_kept() {
    let mut program = reading_x();
    program.line(9).make("randn", LEGACY, &[], OTHER);
    program.line(10).replay(1);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn an_input_is_freed_after_the_last_replay() {
    let mut program = reading_x();
    program.line(8).replay(1);
    program.line(9).free(X);
    program.line(10).make("randn", LEGACY, &[], X);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn a_temporary_of_the_capture_is_freed() {
    let mut program = reading_x();
    program.line(8).graph(2, |it| {
        it.line(9).captured("mul", X, FIRST);
        it.line(10).captured("add", FIRST, SECOND).free(FIRST);
    });
    program.line(11).replay(2).replay(2);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn a_name_is_rebound() {
    let mut program = reading_x();
    program.line(8).eager("add", X, OTHER).free(X);
    program.line(9).replay(1);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn an_input_is_updated_in_place() {
    let mut program = reading_x();
    program
        .line(8)
        .eager("add", X, OTHER)
        .operator("copy_", LEGACY, &[tensor(X), tensor(OTHER)], &[tensor(X)])
        .free(OTHER);
    program.line(9).replay(1);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn a_name_that_the_graph_does_not_read_is_rebound() {
    let mut program = reading_x();
    program.line(8).eager("add", X, OTHER);
    program
        .line(9)
        .eager("add", OTHER, OTHER + 0x400)
        .free(OTHER);
    program.line(10).replay(1);
    assert_eq!(program.ids(), [""; 0]);
}

/// A weight at `OTHER` is cast at line 5, inside of `linear` or by the program itself; the capture at line 6 reads the copy `X`,
/// which goes at line 8 by these frames.
fn reading_a_cast(is_hidden: bool, freed_by: &[&str]) -> Program {
    let mut program = Program::new();
    program.line(3).make("ones", LEGACY, &[], OTHER);
    program.line(5);
    if is_hidden {
        program.begin_operator("linear", &[tensor(OTHER)]);
    }
    program
        .begin_operator("to", &[tensor(OTHER)])
        .eager("_to_copy", OTHER, X)
        .end_operator(&[tensor(X)]);
    if is_hidden {
        program.launch(LEGACY).end_operator(&[]);
    }
    program.line(6).graph(1, |it| {
        it.line(7).captured("mul", X, Y);
    });
    program.at(freed_by).free(X);
    program.line(9).replay(1);
    program
}

#[test]
fn autocast_drops_the_cast_that_the_graph_reads() {
    let mut program = reading_a_cast(true, &["train.py:4 <module>", autocast_exits()]);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_cast_of_the_program_itself_is_dropped() {
    let mut program = reading_a_cast(false, &["train.py:8 <module>"]);
    assert_eq!(places(&mut program), [("CG209", 9)]);
}

#[test]
fn autocast_keeps_its_casts_inside_the_capture() {
    let mut program = Program::new();
    program.line(3).make("ones", LEGACY, &[], OTHER);
    program.line(6).graph(1, |it| {
        it.line(7)
            .begin_operator("linear", &[tensor(OTHER)])
            .captured("_to_copy", OTHER, FIRST)
            .launch(ORIGIN)
            .end_operator(&[]);
        it.line(8).captured("mul", FIRST, SECOND);
        it.at(&["train.py:6 <module>", autocast_exits()])
            .free(FIRST);
    });
    program.line(9).replay(1);
    assert_eq!(program.ids(), [""; 0]);
}

/// The capture at line 6 casts a weight, and eager code reads the copy at line 9: before a replay, or after one.
fn reading_a_captured_cast(mut program: Program, is_replayed: bool) -> Program {
    program.line(3).make("ones", LEGACY, &[], OTHER);
    program.line(6).graph(1, |it| {
        it.line(7)
            .begin_operator("linear", &[tensor(OTHER)])
            .captured("_to_copy", OTHER, FIRST)
            .launch(ORIGIN)
            .end_operator(&[]);
    });
    if is_replayed {
        program.line(8).replay(1);
    }
    program.line(9).eager("mul", FIRST, Y);
    program
}

#[test]
fn eager_code_reads_a_cast_that_no_replay_has_made() {
    let mut program = reading_a_captured_cast(Program::on_virtual_gpu(), false);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn eager_code_reads_a_cast_that_a_replay_has_made() {
    let mut program = reading_a_captured_cast(Program::on_virtual_gpu(), true);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn eager_code_reads_the_gradient_of_a_cast_before_a_replay() {
    let mut program = Program::on_virtual_gpu();
    program.line(3).make("ones", LEGACY, &[], OTHER);
    program.line(6).graph(1, |it| {
        it.line(7)
            .begin_operator("autograd::engine::evaluate_function: ToCopyBackward0", &[])
            .begin_operator("ToCopyBackward0", &[tensor(OTHER)])
            .captured("_to_copy", OTHER, FIRST)
            .launch(ORIGIN)
            .end_operator(&[])
            .end_operator(&[]);
    });
    program.line(9).eager("mul", FIRST, Y);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn whether_a_replay_has_made_a_cast_is_not_known_where_replays_are_not_watched() {
    let mut program = reading_a_captured_cast(Program::new(), false);
    assert_eq!(program.ids(), [""; 0]);
}

/// Captures `FIRST = X * 2` at line 6, and at line 7 an operator on a stream that reads one block and makes `OTHER`.
fn leaving_out(stream: cgsan_model::Stream, argument: u64) -> Program {
    let mut program = Program::new();
    program
        .line(3)
        .make("ones", LEGACY, &[], X)
        .make("ones", LEGACY, &[], Y);
    program.line(5).graph(1, |it| {
        it.line(6).captured("mul", X, FIRST);
        it.line(7).make("add", stream, &[tensor(argument)], OTHER);
    });
    program.line(9).replay(1);
    program
}

#[test]
fn an_operator_runs_beside_the_capture_on_its_data() {
    let mut program = leaving_out(SIDE, FIRST);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn an_operator_runs_in_the_capture_on_its_data() {
    let mut program = leaving_out(ORIGIN, FIRST);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn an_operator_runs_beside_the_capture_on_data_of_its_own() {
    let mut program = leaving_out(SIDE, Y);
    assert_eq!(program.ids(), [""; 0]);
}

/// Captures a copy from pinned memory at line 6, and replays it at line 8.
fn copying_pinned() -> Program {
    copying_pinned_in(Program::on_virtual_gpu())
}

fn copying_pinned_in(mut program: Program) -> Program {
    program.line(3).make("ones", LEGACY, &[], X);
    program.line(5).graph(1, |it| {
        it.line(6).copy_from_pinned(ORIGIN, X, PINNED);
    });
    program.line(8).replay(1);
    program
}

#[test]
fn the_host_writes_what_a_replay_has_yet_to_copy() {
    let mut program = copying_pinned();
    program
        .line(9)
        .idle_operator("fill_", &[host(PINNED)], &[host(PINNED)]);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn whether_the_host_waited_is_not_known_where_waits_are_not_watched() {
    for (is_watched, found) in [(true, &["CG208"][..]), (false, &[])] {
        let mut program = copying_pinned_in(Program::new());
        program.push(Record::Ordered { on: is_watched });
        program.line(9).replay(1);
        program
            .line(10)
            .idle_operator("fill_", &[host(PINNED)], &[host(PINNED)]);
        assert_eq!(program.ids(), found);
    }
}

#[test]
fn the_host_waits_before_it_writes() {
    for wait in [
        Call::StreamSynchronize { stream: LEGACY },
        Call::DeviceSynchronize {
            device: crate::support::DEVICE,
        },
    ] {
        let mut program = copying_pinned();
        program.line(9).call(wait);
        program
            .line(10)
            .idle_operator("fill_", &[host(PINNED)], &[host(PINNED)]);
        assert_eq!(program.ids(), [""; 0]);
    }
}

#[test]
fn the_host_waits_for_an_event_behind_the_replay() {
    let mut program = copying_pinned();
    let event = program.line(9).record_event(LEGACY);
    program.call(Call::EventSynchronize { event });
    program
        .line(10)
        .idle_operator("fill_", &[host(PINNED)], &[host(PINNED)]);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn the_host_waits_for_an_event_before_the_replay() {
    let mut program = copying_pinned();
    let event = program.line(9).record_event(LEGACY);
    program.line(10).replay(1);
    program.call(Call::EventSynchronize { event });
    program
        .line(11)
        .idle_operator("fill_", &[host(PINNED)], &[host(PINNED)]);
    assert_eq!(places(&mut program), [("CG208", 11)]);
}

#[test]
fn the_host_writes_other_pinned_memory() {
    let mut program = copying_pinned();
    program
        .line(9)
        .idle_operator("fill_", &[host(OTHER_PINNED)], &[host(OTHER_PINNED)]);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn the_host_only_reads_the_source() {
    let mut program = copying_pinned();
    program
        .line(9)
        .idle_operator("add", &[host(PINNED)], &[host(OTHER_PINNED)])
        .idle_operator(
            "copy_",
            &[host(OTHER_PINNED), host(PINNED)],
            &[host(OTHER_PINNED)],
        );
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn the_host_takes_a_view_of_the_source() {
    let mut program = copying_pinned();
    program
        .line(9)
        .idle_operator("slice", &[host(PINNED)], &[host(PINNED)]);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn the_source_of_a_copy_belongs_to_another_tensor() {
    let mut program = copying_pinned();
    program.line(9).idle_operator("full", &[], &[host(PINNED)]);
    program.line(10).replay(1);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn the_replay_that_copies_what_another_tensor_holds_is_pointed_to() {
    let mut program = copying_pinned();
    program.line(9).idle_operator("full", &[], &[host(PINNED)]);
    program.line(10).replay(1);
    assert_eq!(places(&mut program), [("CG210", 10)]);
}

#[test]
fn another_tensor_has_pinned_memory_of_its_own() {
    let mut program = copying_pinned();
    program
        .line(9)
        .idle_operator("full", &[], &[host(OTHER_PINNED)]);
    program.line(10).replay(1);
    assert_eq!(program.ids(), [""; 0]);
}

/// Two graphs of one pool, captured at these frames: the first has a temporary at `FIRST` and gives `SECOND`, the second gives its
/// result at `FIRST` or, where they share nothing, at `OTHER`.
fn two_graphs(program: &mut Program, frames: [&[&str]; 2], result: u64) {
    program.line(3).make("ones", LEGACY, &[], X);
    program.at(frames[0]).graph(1, |it| {
        it.captured("mul", X, FIRST)
            .captured("add", FIRST, SECOND)
            .free(FIRST);
    });
    program.at(frames[1]).graph(2, |it| {
        it.captured("pow", X, result);
    });
}

const WITH_FIRST: &[&str] = &["train.py:5 <module>"];
const WITH_SECOND: &[&str] = &["train.py:7 <module>"];

/// Replays two graphs of one pool in this order at lines 10 and 11, and reads the result of the second at line 12.
fn sharing_a_pool(frames: [&[&str]; 2], order: [u64; 2]) -> Program {
    let mut program = Program::new();
    two_graphs(&mut program, frames, FIRST);
    program.line(10).replay(order[0]);
    program.line(11).replay(order[1]);
    program.line(12).eager("sum", FIRST, OTHER);
    program
}

#[test]
fn a_replay_overwrites_the_output_of_another_graph() {
    let mut program = sharing_a_pool([WITH_FIRST, WITH_SECOND], [2, 1]);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn graphs_of_a_pool_are_replayed_in_the_order_of_their_captures() {
    let mut program = sharing_a_pool([WITH_FIRST, WITH_SECOND], [1, 2]);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn an_output_is_used_before_the_other_graph_is_replayed() {
    let mut program = Program::new();
    two_graphs(&mut program, [WITH_FIRST, WITH_SECOND], FIRST);
    program.line(10).replay(2);
    program.line(11).eager("clone", FIRST, OTHER);
    program.line(12).replay(1);
    program.line(13).eager("sum", OTHER, Y);
    assert_eq!(program.ids(), [""; 0]);
}

const GRAPHING_BOTH: &[&str] = &[
    "train.py:5 <module>",
    "torch/cuda/graphs.py:450 make_graphed_callables",
];
const GRAPHING_ANOTHER: &[&str] = &[
    "train.py:7 <module>",
    "torch/cuda/graphs.py:450 make_graphed_callables",
];

const COMPILING: &[&str] = &[
    "train.py:5 <module>",
    "torch/_inductor/cudagraph_trees.py:1200 _record",
];

#[test]
fn graphs_of_inductor_see_to_their_memory_themselves() {
    let mut program = sharing_a_pool([COMPILING, COMPILING], [2, 1]);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn graphed_callables_run_out_of_order() {
    let mut program = sharing_a_pool([GRAPHING_BOTH, GRAPHING_BOTH], [2, 1]);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn graphed_callables_run_in_order() {
    let mut program = sharing_a_pool([GRAPHING_BOTH, GRAPHING_BOTH], [1, 2]);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn callables_of_two_calls_that_were_given_one_pool_are_no_tuple() {
    let mut program = sharing_a_pool([GRAPHING_BOTH, GRAPHING_ANOTHER], [2, 1]);
    assert_eq!(places(&mut program), [("CG214", 11)]);
}

/// Replays two graphs on two streams, with `between` between the replays.
fn on_two_streams(result: u64, between: impl FnOnce(&mut Program)) -> Program {
    on_two_streams_of(Program::on_virtual_gpu(), result, between)
}

fn on_two_streams_of(
    mut program: Program,
    result: u64,
    between: impl FnOnce(&mut Program),
) -> Program {
    two_graphs(&mut program, [WITH_FIRST, WITH_SECOND], result);
    program.line(10).replay_on(SIDE, 1);
    between(&mut program);
    program.line(12).replay_on(DEEP, 2);
    program
}

#[test]
fn graphs_of_a_pool_are_replayed_at_once() {
    let mut program = on_two_streams(FIRST, |_| {});
    insta::assert_snapshot!(program.describe());
}

#[test]
fn graphs_of_a_pool_are_replayed_at_once_on_a_real_gpu() {
    // Whether the calls that order replays are seen, before the replays and between them, and whether the race shows.
    for (before, between, shows) in [
        (None, None, false),
        (Some(true), None, true),
        (Some(true), Some(false), false),
        (Some(false), Some(true), false),
    ] {
        let ordered = |program: &mut Program, on: Option<bool>| {
            if let Some(on) = on {
                program.push(Record::Ordered { on });
            }
        };
        let mut program = Program::new();
        ordered(&mut program, before);
        let mut program = on_two_streams_of(program, FIRST, |it| ordered(it, between));
        assert_eq!(
            program.ids().contains(&"CG216"),
            shows,
            "{before:?} {between:?}"
        );
    }
}

#[test]
fn the_second_stream_waits_for_the_first() {
    let mut program = on_two_streams(FIRST, |it| it.wait_stream(DEEP, SIDE));
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn the_first_stream_waits_for_the_second() {
    let mut program = on_two_streams(FIRST, |it| it.wait_stream(SIDE, DEEP));
    assert_eq!(places(&mut program), [("CG216", 12)]);
}

#[test]
fn graphs_that_share_nothing_are_replayed_at_once() {
    let mut program = on_two_streams(OTHER, |_| {});
    assert_eq!(program.ids(), [""; 0]);
}

/// Captures a temporary at `FIRST` and lets a tensor live on there, which `fill` writes; then replays, and reads it at line 11.
fn living_on(address: u64, fill: impl FnOnce(&mut Program)) -> Program {
    let mut program = Program::new();
    program.line(3).make("ones", LEGACY, &[], X);
    program.line(5).graph(1, |it| {
        it.line(6)
            .captured("mul", X, FIRST)
            .captured("add", FIRST, SECOND)
            .free(FIRST);
        it.line(7)
            .begin_operator("empty_like", &[tensor(X)])
            .block(address)
            .end_operator(&[tensor(address)]);
        fill(it);
    });
    program
        .line(9)
        .operator("fill_", LEGACY, &[tensor(address)], &[tensor(address)]);
    program.line(10).replay(1);
    program.line(11).eager("sum", address, OTHER);
    program
}

#[test]
fn a_tensor_lives_on_where_the_graph_has_a_temporary() {
    let mut program = living_on(FIRST, |_| {});
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_tensor_lives_on_in_memory_of_its_own() {
    let mut program = living_on(OTHER + 0x800, |_| {});
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn the_graph_writes_the_tensor_anew_after_its_temporary() {
    let mut program = living_on(FIRST, |it| {
        it.line(8).operator(
            "copy_",
            ORIGIN,
            &[tensor(FIRST), tensor(X)],
            &[tensor(FIRST)],
        );
    });
    assert_eq!(program.ids(), [""; 0]);
}

/// As [`living_on`] the temporary; each replay writes `rows` of the tensor's rows by index.
fn written_by_index(rows: &[u64]) -> Program {
    living_on(FIRST, |it| {
        it.line(8).operator(
            "index_copy_",
            ORIGIN,
            &[
                tensor(FIRST),
                Argument::Integer(0),
                sized(Y, rows),
                sized(X, rows),
            ],
            &[tensor(FIRST)],
        );
    })
}

#[test]
fn the_graph_writes_a_part_of_the_tensor_after_its_temporary() {
    assert_eq!(written_by_index(&[1]).ids(), ["CG217"]);
}

#[test]
fn the_graph_writes_all_of_the_tensor_by_index() {
    assert_eq!(written_by_index(&[128]).ids(), [""; 0]);
}

/// Captures a tensor at `FIRST` that is filled with zeros and read; the program writes `name` into it before a replay.
fn filled_in_the_capture(name: &str, arguments: &[Argument]) -> Program {
    let mut program = Program::new();
    program.line(3).make("ones", LEGACY, &[], X);
    program.line(5).graph(1, |it| {
        it.line(6)
            .make("zero_", ORIGIN, &[tensor(FIRST)], FIRST)
            .captured("add", FIRST, SECOND);
    });
    program
        .line(9)
        .operator(name, LEGACY, arguments, &[tensor(FIRST)]);
    program.line(10).replay(1);
    program
}

#[test]
fn the_graph_fills_anew_what_the_program_has_written() {
    let mut program = filled_in_the_capture("copy_", &[tensor(FIRST), tensor(X)]);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn the_graph_fills_with_what_the_program_has_filled() {
    let zero = [tensor(FIRST), Argument::Float(0.0)];
    let mut program = filled_in_the_capture("fill_", &zero);
    assert_eq!(program.ids(), [""; 0]);
}

/// Captures the gradient `FIRST`; after a replay, a thread adds it to a sum.
fn adding_a_gradient(thread: (u32, &str), sum: u64) -> Program {
    let mut program = Program::new();
    program
        .line(3)
        .make("ones", LEGACY, &[], X)
        .make("zeros", LEGACY, &[], Y);
    program.line(5).graph(1, |it| {
        it.line(6).captured("mul", X, FIRST);
    });
    program.line(9).replay(1);
    program.thread(thread.0, thread.1);
    program.line(10).operator(
        "add_",
        LEGACY,
        &[tensor(sum), tensor(FIRST)],
        &[tensor(sum)],
    );
    program
}

#[test]
fn a_gradient_is_added_to_itself() {
    let mut program = adding_a_gradient((200, "pt_autograd_0"), FIRST);
    insta::assert_snapshot!(program.describe());
}

#[test]
fn a_gradient_is_added_to_memory_of_its_own() {
    let mut program = adding_a_gradient((200, "pt_autograd_0"), Y);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn the_program_doubles_an_output_itself() {
    let mut program = adding_a_gradient((MAIN.0, "MainThread"), FIRST);
    assert_eq!(program.ids(), [""; 0]);
}

/// Captures a copy to pinned memory at line 6, and replays it at line 8.
fn copying_to_the_host() -> Program {
    let mut program = Program::on_virtual_gpu();
    program.line(3).make("ones", LEGACY, &[], X);
    program.line(5).graph(1, |it| {
        it.line(6).copy_to_pinned(ORIGIN, PINNED, X);
    });
    program.line(8).replay(1);
    program
}

/// What PyTorch calls for `tolist()` and at the end of `numpy()`.
fn resolve(program: &mut Program, address: u64) {
    for name in ["resolve_conj", "resolve_neg"] {
        program.idle_operator(name, &[host(address)], &[host(address)]);
    }
}

#[test]
fn the_host_lists_what_a_replay_has_yet_to_write() {
    let mut program = copying_to_the_host();
    resolve(program.line(9), PINNED);
    assert_eq!(places(&mut program), [("CG227", 9)]);
}

#[test]
fn the_host_waits_before_it_lists() {
    let mut program = copying_to_the_host();
    let stream = LEGACY;
    program.line(9).call(Call::StreamSynchronize { stream });
    resolve(program.line(10), PINNED);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn a_view_for_numpy_reads_nothing() {
    let mut program = copying_to_the_host();
    program
        .line(9)
        .idle_operator("detach", &[host(PINNED)], &[host(PINNED)])
        .idle_operator(
            "to",
            &[host(PINNED), Argument::Integer(6), Argument::Bool(false)],
            &[host(PINNED)],
        );
    resolve(&mut program, PINNED);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn a_sign_is_resolved_by_the_program_itself() {
    let mut program = copying_to_the_host();
    program
        .line(9)
        .idle_operator("resolve_neg", &[host(PINNED)], &[host(PINNED)]);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn the_host_lists_the_source_of_a_copy() {
    let mut program = copying_pinned();
    resolve(program.line(9), PINNED);
    assert_eq!(program.ids(), [""; 0]);
}

#[test]
fn a_graphed_callable_runs_forward_again_before_its_backward() {
    let mut program = Program::new();
    program.line(3).make("ones", LEGACY, &[], X);
    program.at(GRAPHING_BOTH).graph(1, |it| {
        it.captured("mul", X, FIRST);
    });
    program.at(GRAPHING_BOTH).graph(2, |it| {
        it.captured("pow", FIRST, SECOND)
            .free(FIRST)
            .captured("neg", SECOND, FIRST);
    });
    for (at, graph) in [(10, 1), (11, 1), (12, 2), (13, 2)] {
        program.line(at).replay(graph);
    }
    insta::assert_snapshot!(program.describe());
}

/// What is found where the backward graph reads `needed`, and runs for the first of two forwards.
fn backward_of_an_earlier_forward(needed: u64) -> Vec<&'static str> {
    let mut program = Program::new();
    program.line(3).make("ones", LEGACY, &[], X);
    program.at(GRAPHING_BOTH).graph(1, |it| {
        it.captured("mul", X, FIRST);
    });
    program.agent(captured_as(1));
    program.at(GRAPHING_BOTH).graph(2, |it| {
        it.captured("pow", needed, SECOND);
    });
    program.agent(captured_as(2));
    program.line(10).replay(1);
    program.line(11).replay(1);
    program.agent(AgentEvent::BackwardOfEarlier {
        graph: 2,
        replay: 1,
        forward: 1,
    });
    program.line(12).replay(2);
    program.line(13).replay(2);
    program.ids()
}

fn captured_as(graph: u64) -> AgentEvent {
    AgentEvent::GraphCaptured {
        graph,
        pool: Some((0, 1)),
        names: Vec::new(),
    }
}

#[test]
fn a_backward_needs_the_output_of_an_earlier_forward() {
    assert_eq!(backward_of_an_earlier_forward(FIRST), ["CG215"]);
    // What no forward writes is the same for each.
    assert_eq!(backward_of_an_earlier_forward(X), [""; 0]);
}

/// The first graph makes `FIRST` of `X`, which the second reads; the first is released, and perhaps a third captured where it was, of
/// which the output is elsewhere.
fn writer_let_go_of(is_replaced: bool) -> Program {
    let mut program = reading_x_in_pool();
    program.line(8).graph(2, |it| {
        it.line(9).captured("sin", FIRST, SECOND);
    });
    program.line(10).replay(1).replay(2);
    program
        .line(11)
        .call(Call::GraphExecDestroy { exec: exec(1) });
    let name = if is_replaced { "mul" } else { "cos" };
    program.line(12).graph(3, |it| {
        it.line(13).captured(name, X, OTHER);
    });
    for _ in 0..3 {
        program.line(15).replay(3);
        program.line(16).replay(2);
    }
    program
}

fn reading_x_in_pool() -> Program {
    let mut program = Program::on_virtual_gpu();
    program.line(3).make("ones", LEGACY, &[], X);
    program.line(5).graph(1, |it| {
        it.line(6).captured("mul", X, FIRST);
    });
    program
}

#[test]
fn a_graph_that_another_one_reads_from_is_captured_again() {
    insta::assert_snapshot!(writer_let_go_of(true).describe());
}

#[test]
fn what_a_graph_that_is_gone_has_made_once_is_read_for_ever() {
    assert_eq!(writer_let_go_of(false).ids(), [""; 0]);
}
