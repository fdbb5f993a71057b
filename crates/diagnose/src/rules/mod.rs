//! The rules: one file a failure mode, named after the bad pattern.
//!
//! To add one: write its file with a [`Rule`], put it into [`RULES`] before the rules that its signal also satisfies,
//! and give its id an entry in the catalogue.

mod allocation_outside_capture_pool;
mod autograd_node_on_default_stream;
mod capture_inside_capture;
mod capture_invalidated_earlier;
mod capture_on_default_stream;
mod captures_merged;
mod checkpoint_preserves_rng;
mod compile_in_capture;
mod ddp_built_on_default_stream;
mod end_on_wrong_thread;
mod event_of_finished_capture;
mod finalizer_in_capture;
mod first_use_of_library_in_capture;
mod generator_not_registered;
mod host_sync_in_capture;
mod nccl_communicator_created_in_capture;
mod nccl_watchdog_query;
mod optimizer_not_capturable;
mod other_thread_violates_global_capture;
mod out_of_memory_in_capture;
mod pageable_copy_in_capture;
mod pin_memory_thread_in_capture;
mod pinned_allocation_in_capture;
mod query_in_capture;
mod reentrant_checkpoint_in_graphed_callable;
mod replay_inside_capture;
mod rng_state_read_or_written;
mod stream_not_forked_from_capture;
mod stream_not_rejoined;
mod verdict;
mod wait_on_uncaptured_work;
mod waited_copy;

pub(crate) use verdict::Verdict;

use crate::failure::Failure;

/// A failure mode and how it is recognised.
pub(crate) struct Rule {
    /// The failure mode's stable id.
    pub(crate) id: &'static str,
    /// Explains a failure if it is of this mode.
    pub(crate) check: fn(&Failure<'_, '_>) -> Option<Verdict>,
}

/// The rules in order of precedence: the first that recognises a failure explains it.
///
/// What the program was doing comes before what kind of call was refused: a compiler that allocates, or a library that
/// frees, is recognised as such before the allocation is.
pub(crate) const RULES: &[Rule] = &[
    // What the program was doing.
    out_of_memory_in_capture::RULE,
    compile_in_capture::RULE,
    reentrant_checkpoint_in_graphed_callable::RULE,
    checkpoint_preserves_rng::RULE,
    rng_state_read_or_written::RULE,
    generator_not_registered::RULE,
    optimizer_not_capturable::RULE,
    replay_inside_capture::RULE,
    capture_on_default_stream::RULE,
    capture_inside_capture::RULE,
    nccl_communicator_created_in_capture::RULE,
    first_use_of_library_in_capture::RULE,
    pageable_copy_in_capture::RULE,
    finalizer_in_capture::RULE,
    // Who made the refused call.
    nccl_watchdog_query::RULE,
    pin_memory_thread_in_capture::RULE,
    other_thread_violates_global_capture::RULE,
    // What kind of call it was.
    pinned_allocation_in_capture::RULE,
    query_in_capture::RULE,
    stream_not_rejoined::RULE,
    end_on_wrong_thread::RULE,
    captures_merged::RULE,
    event_of_finished_capture::RULE,
    ddp_built_on_default_stream::RULE,
    autograd_node_on_default_stream::RULE,
    wait_on_uncaptured_work::RULE,
    stream_not_forked_from_capture::RULE,
    allocation_outside_capture_pool::RULE,
    host_sync_in_capture::RULE,
    // Nothing known.
    capture_invalidated_earlier::RULE,
];

/// Whether a rule recognises a failure mode.
pub(crate) fn detects(id: &str) -> bool {
    RULES.iter().any(|rule| rule.id == id)
}

/// The first rule that recognises a failure, and what it says.
pub(crate) fn explain(failure: &Failure<'_, '_>) -> Option<(&'static str, Verdict)> {
    RULES
        .iter()
        .find_map(|rule| Some((rule.id, (rule.check)(failure)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_in_the_catalogue() {
        for rule in RULES {
            assert!(cgsan_catalogue::entry(rule.id).is_some(), "{}", rule.id);
        }
    }

    #[test]
    fn no_two_rules_share_an_id() {
        let mut ids: Vec<_> = RULES.iter().map(|rule| rule.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), RULES.len());
    }
}
