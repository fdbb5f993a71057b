//! The rules: a file a family. Each is asked at the events that concern it, and is a ladder of early returns over what is
//! known there. It may note something for later, and report; it cannot change what is known.

mod autocast;
mod autograd;
mod capture_aware;
mod checkpoint;
mod compiler;
mod concurrent;
mod control_flow;
mod copies;
mod counters;
mod empty_graphs;
mod finalizers;
mod first_uses;
mod generators;
mod graphed_order;
mod graphed_refused;
mod held_numbers;
mod hooks;
mod host_numbers;
mod inference;
mod inputs;
mod judge;
mod kept_back;
mod kept_graphs;
mod libraries;
mod memory;
mod messages;
mod nesting;
mod never_replayed;
mod notes;
mod observe;
mod optimizers;
mod outputs;
mod pinned;
mod pinned_results;
mod pinned_sources;
mod places;
mod pool_order;
mod pools;
mod process_groups;
mod queries;
mod random_state;
mod replay;
mod side_effects;
mod storage;
mod streams;
mod threads;
mod unkept;
mod waits;

use judge::Reports;
use notes::Notes;

use crate::draft::{Report, Rule};

/// All rules, by id.
pub const RULES: &[&Rule] = &[
    &waits::HOST_SYNC,
    &copies::PAGEABLE_COPY,
    &streams::ALLOCATION_OUTSIDE_POOL,
    &pinned::PINNED_ALLOCATION,
    &streams::NOT_FORKED,
    &streams::NOT_REJOINED,
    &streams::UNCAPTURED_WORK,
    &autograd::DEFAULT_STREAM_NODE,
    &autograd::DDP_ON_DEFAULT_STREAM,
    &queries::QUERY,
    &threads::OTHER_THREAD,
    &threads::PINNING_THREAD,
    &libraries::COMMUNICATOR,
    &generators::NOT_REGISTERED,
    &random_state::STATE_TOUCHED,
    &random_state::SEEDED,
    &checkpoint::PRESERVES_RNG,
    &checkpoint::REENTRANT,
    &compiler::COMPILES,
    &libraries::FIRST_USE,
    &nesting::DEFAULT_STREAM,
    &nesting::INSIDE_CAPTURE,
    &nesting::REPLAY_INSIDE,
    &finalizers::DESTROYED,
    &nesting::OTHER_THREAD,
    &nesting::OTHER_STREAM,
    &streams::MERGED,
    &queries::FINISHED_CAPTURE,
    &optimizers::NOT_CAPTURABLE,
    &inference::WRITTEN_OUTSIDE,
    &graphed_refused::REFUSED,
    &control_flow::FROZEN_BRANCH,
    &capture_aware::CAPTURE_AWARE,
    &inputs::REBOUND,
    &autocast::CACHE,
    &control_flow::FROZEN_SCALAR,
    &streams::LEFT_OUT,
    &control_flow::FROZEN_SHAPE,
    &pinned_sources::OVERWRITTEN,
    &inputs::FREED,
    &copies::SOURCE_FREED,
    &outputs::NOT_CLONED,
    &side_effects::SKIPPED,
    &hooks::SKIPPED,
    &pool_order::OUT_OF_ORDER,
    &graphed_order::OUT_OF_ORDER,
    &concurrent::AT_ONCE,
    &outputs::GRADIENT_ALIASED,
    &messages::IN_CAPTURE,
    &pinned_results::READ_EARLY,
    &memory::INPUTS_PER_GRAPH,
    &pools::POOL_PER_GRAPH,
    &memory::RECORD_STREAM,
    &kept_back::NOT_GIVEN_BACK,
    &process_groups::DESTROYED_FIRST,
    &process_groups::OUTLIVES_GROUP,
    &replay::COPIES_DOMINATE,
    &streams::TOO_MANY,
    &compiler::GRAPH_BREAK,
    &never_replayed::NEVER,
    &empty_graphs::NOTHING_TO_REPLAY,
];

/// The rules, as they follow one program.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    notes: Notes,
    reports: Reports,
}

impl Rules {
    /// What they have reported.
    pub(crate) fn into_reports(self) -> Vec<Report> {
        self.reports.into_all()
    }
}
