//! Which rules an event concerns.

use super::held_numbers::{self, Use};
use super::judge::Judge;
use super::{
    Rules, autocast, autograd, capture_aware, checkpoint, compiler, control_flow, copies,
    empty_graphs, finalizers, first_uses, generators, graphed_order, graphed_refused, hooks,
    host_numbers, inference, inputs, kept_graphs, libraries, memory, messages, nesting,
    never_replayed, optimizers, outputs, pinned, pinned_results, pool_order, process_groups,
    queries, random_state, replay, side_effects, streams, threads, waits,
};
use crate::interp::event::Assignment;
use crate::interp::{self, Observer};
use crate::syntax::ast::Ranged as _;
use crate::torch::state::capture::CaptureKind;
use crate::torch::state::event::Event;
use crate::torch::{Interp, Torch};

impl Observer<Torch> for Rules {
    fn observe<'p>(&mut self, state: &Interp<'p>, event: Event<'_, 'p>) {
        let judge = &mut Judge {
            state,
            notes: &mut self.notes,
            reports: &mut self.reports,
        };
        judged(judge, event);
    }

    fn reported(&self) -> usize {
        self.reports.count()
    }

    fn forget_since(&mut self, reported: usize) {
        self.reports.forget_since(reported);
    }
}

/// What the language does.
fn in_python<'p>(judge: &mut Judge<'_, 'p>, event: interp::Event<'_, 'p>) {
    use interp::Event;
    match event {
        Event::Decides { test } => control_flow::depends_on(judge, test),
        Event::Branches { test, body, rest } => capture_aware::branch(judge, test, body, rest),
        Event::Matches { subject } => {
            held_numbers::used(judge, subject, Use::Decides, subject.range());
        }
        Event::ChoiceBegins => first_uses::choice_begins(judge),
        Event::ChoiceEnds => first_uses::choice_ends(judge),
        Event::Repeats { iterated } => held_numbers::repeats(judge, iterated),
        Event::LoopBegins { iterated, range } => threads::iterated(judge, iterated, range),
        Event::NumberRead {
            keeper,
            name,
            reading,
            range,
        } => side_effects::read(judge, keeper, name, reading, range),
        Event::Assigned {
            target,
            expression,
            value,
            how,
        } => {
            if how != Assignment::Annotated {
                held_numbers::assigned(judge, target, expression, value, how);
            }
        }
        Event::Rebound { old, new, range } => {
            held_numbers::rebound(judge, old, new);
            inputs::rebound(judge, old, new, range);
        }
        Event::NameBound => memory::rebound(judge),
        Event::Released { value } => memory::let_go(judge, value),
        Event::Deleted { value, range } => inputs::deleted(judge, value, range),
        Event::Stored {
            container,
            index,
            value,
            range,
        } => outputs::stored(judge, container, index, value, range),
        Event::EntrySet {
            container,
            key,
            value,
        } => held_numbers::entry(judge, container, key, value),
        Event::Emptied { container } => {
            kept_graphs::emptied(judge, container);
            outputs::emptied(judge, container);
        }
        Event::TakenOut { container, is_last } => outputs::taken_out(judge, container, is_last),
        Event::EntryKept {
            container,
            key,
            value,
        } => kept_graphs::stored(judge, container, key, value),
        Event::Appended {
            list,
            value,
            call,
            range,
        } => outputs::appended(judge, list, value, call, range),
        Event::Extended { list, any, range } => outputs::extended(judge, list, any, range),
        Event::Collected {
            values,
            element,
            inside,
        } => {
            if let Some(element) = element {
                outputs::collected(judge, values, element, inside);
            }
            kept_graphs::collected(judge, values, inside);
        }
        Event::Returned { result } => inputs::left(judge, result),
        Event::UnknownCalled => first_uses::unknown_ran(judge),
        Event::ProgramEnds => {
            process_groups::program_ends(judge);
            empty_graphs::program_ends(judge);
            never_replayed::program_ends(judge);
        }
        Event::Sliced { index } => held_numbers::sliced(judge, index),
        Event::Operand { expression, range } => {
            held_numbers::used(judge, expression, Use::Computes, range);
        }
    }
}

/// What PyTorch does.
fn judged<'p>(judge: &mut Judge<'_, 'p>, event: Event<'_, 'p>) {
    match event {
        Event::Python(event) => in_python(judge, event),
        Event::NumberChanged {
            kept,
            meets_zero,
            range,
        } => side_effects::changed(judge, kept, meets_zero, range),
        Event::ThreadsMeet => outputs::met(judge),
        Event::Handed { by, value, range } => outputs::handed(judge, by, value, range),
        Event::CaptureBegins { kind, meets, range } => {
            nesting::capture_begins(judge, kind, meets, range);
            autocast::capture_begins(judge, kind);
        }
        Event::CallablesGraphed { meets, range } => {
            nesting::capture_begins(judge, CaptureKind::Callable, meets, range);
        }
        Event::CallableGraphed {
            callable,
            sample,
            allows_unused,
            capture,
            range,
        } => graphed_refused::graphed(
            judge,
            &graphed_refused::Graphing {
                callable,
                sample,
                allows_unused,
                capture,
            },
            range,
        ),
        Event::GraphedCalled {
            graphed,
            args,
            is_eager,
            range,
        } => {
            graphed_refused::called(judge, graphed, args, is_eager, range);
            never_replayed::called(judge, graphed, is_eager, range);
        }
        Event::GraphedWithoutBackward { output, graphed } => {
            graphed_refused::without_backward(judge, output, graphed);
        }
        Event::GraphedDropped { range } => never_replayed::dropped(judge, range),
        Event::EmptyReplayed { graph, range } => empty_graphs::replayed(judge, graph, range),
        Event::Message { what, range } => messages::exchanged(judge, what, range),
        Event::HostRead { tensor, range } => pinned_results::read(judge, tensor, range),
        Event::EndCalled { capture, range } => nesting::ended(judge, capture, range),
        Event::EndCalledElsewhere { capture, range } => {
            nesting::ended_by_other_thread(judge, capture, range);
        }
        Event::CaptureEnds { capture } => {
            streams::capture_ends(judge, capture);
            memory::capture_ends(judge, capture);
        }
        Event::GraphLaunched { by, range } => nesting::replayed(judge, by, range),
        Event::Replayed {
            graph,
            before,
            copies,
            range,
        } => replay::replays(judge, graph, before, copies, range),
        Event::GraphDestroyed { site } => finalizers::destroyed(judge, site),
        Event::OutputKept { tensor, range } => outputs::overwritten(judge, tensor, None, range),
        Event::OutputUsedLate {
            tensor,
            answer,
            range,
        } => outputs::used_late(judge, tensor, answer, range),
        Event::OutputRead { tensor, range } => pool_order::read(judge, tensor, range),
        Event::HostWaits {
            wait,
            unknown,
            range,
        } => waits::waits(judge, wait, unknown, range),
        Event::Copied { what, range } => copies::pageable(judge, what, range),
        Event::MayCopy { what, range } => copies::possible(judge, what, range),
        Event::TemporaryCopied { range } => copies::temporary(judge, range),
        Event::Pinned { what, range } => pinned::allocated(judge, what, range),
        Event::PinnedByLibrary { function, range } => {
            pinned::allocated_by_library(judge, function, range);
        }
        Event::Works {
            operands,
            allocates,
            range,
        } => {
            control_flow::scalars(judge, operands, range);
            streams::works(judge, allocates, range);
        }
        Event::Allocates { range } => streams::allocates(judge, range),
        Event::Created {
            sizes,
            bytes,
            range,
        } => {
            control_flow::sizes(judge, sizes, range);
            threads::allocated(judge, bytes, range);
            memory::allocated(judge);
        }
        Event::Sized { sizes, range } => control_flow::sizes(judge, sizes, range),
        Event::Arguments { call, range } => held_numbers::operands(judge, call, range),
        Event::Numbers { operands, range } => host_numbers::computed(judge, operands, range),
        Event::Operator {
            name,
            operands,
            range,
        } => {
            libraries::called(judge, name, operands, range);
            inference::operator(judge, name, operands, range);
        }
        Event::Written { target, range } => {
            inputs::written(judge, target, range);
            inference::written(judge, target, range);
            pool_order::written(judge, target);
        }
        Event::StreamRecorded { tensor, range } => memory::recorded(judge, tensor, range),
        Event::WaitRefused {
            awaited,
            capture,
            range,
        } => streams::wait_refused(judge, awaited, capture, range),
        Event::StreamAwaits {
            waiter,
            event,
            recorded,
            range,
        } => streams::waits_for_event(judge, waiter, event, recorded, range),
        Event::TimeAsked { event, range } => queries::of_finished_capture(judge, event, range),
        Event::HostAwaits { event, range } => queries::waited(judge, event, range),
        Event::Queried { object, range } => queries::asked(judge, object, range),
        Event::Backward {
            loss,
            inputs,
            range,
        } => {
            autograd::backward(judge, loss, inputs, range);
            graphed_order::backward(judge, loss, range);
            graphed_refused::backward(judge, loss, range);
        }
        Event::GradientMade { gradient } => outputs::gradient_made(judge, gradient),
        Event::Checkpointed { args, range } => checkpoint::called(judge, args, range),
        Event::CompiledCalled { compiled, range } => compiler::called(judge, compiled, range),
        Event::GraphBreak { what, range } => compiler::graph_break(judge, what, range),
        Event::Drawn { generator, range } => generators::used(judge, generator, range),
        Event::Seeded { function, range } => random_state::seeded(judge, function, range),
        Event::RandomStateTouched { function, range } => {
            random_state::touched(judge, function, range);
        }
        Event::ModuleCalled { module } => held_numbers::called(judge, module),
        Event::ModeUsed { module, range } => held_numbers::used_mode(judge, module, range),
        Event::ModeSet { module, training } => held_numbers::trained(judge, module, training),
        Event::OptimizerSteps {
            cell,
            optimizer,
            range,
        } => optimizers::stepped(judge, cell, optimizer, range),
        Event::GroupNumberUsed { group, name, range } => {
            held_numbers::used_of_group(judge, group, name, range);
        }
        Event::Hooked {
            object,
            graphed,
            range,
        } => hooks::registered(judge, object, graphed, range),
        Event::Collective {
            group,
            is_new,
            range,
        } => libraries::collective(judge, group, is_new, range),
        Event::GroupsDestroyed { range } => process_groups::destroyed(judge, range),
    }
}
