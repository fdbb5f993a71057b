//! The rules: a file a family. Each is asked by the interpreter at the steps that concern it, and is a ladder of early
//! returns over what is known there.

pub(crate) mod autocast;
pub(crate) mod autograd;
pub(crate) mod capture_aware;
pub(crate) mod checkpoint;
pub(crate) mod compiler;
pub(crate) mod control_flow;
pub(crate) mod copies;
mod counters;
pub(crate) mod finalizers;
pub(crate) mod first_uses;
pub(crate) mod generators;
pub(crate) mod held_numbers;
pub(crate) mod hooks;
pub(crate) mod host_numbers;
pub(crate) mod inputs;
pub(crate) mod kept_graphs;
pub(crate) mod libraries;
pub(crate) mod memory;
pub(crate) mod nesting;
pub(crate) mod notes;
pub(crate) mod optimizers;
pub(crate) mod outputs;
pub(crate) mod pinned;
pub(crate) mod pinned_sources;
pub(crate) mod places;
pub(crate) mod pools;
pub(crate) mod process_groups;
pub(crate) mod queries;
pub(crate) mod random_state;
pub(crate) mod renewed;
pub(crate) mod replay;
pub(crate) mod side_effects;
pub(crate) mod storage;
pub(crate) mod streams;
pub(crate) mod threads;
pub(crate) mod unkept;
pub(crate) mod waits;

use crate::draft::{Draft, Rule};

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
    &outputs::GRADIENT_ALIASED,
    &memory::INPUTS_PER_GRAPH,
    &pools::POOL_PER_GRAPH,
    &memory::RECORD_STREAM,
    &process_groups::DESTROYED_FIRST,
    &process_groups::OUTLIVES_GROUP,
    &replay::COPIES_DOMINATE,
    &hooks::DEFERRED,
    &streams::TOO_MANY,
    &compiler::GRAPH_BREAK,
];
