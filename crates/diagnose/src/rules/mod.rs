//! The rules: one file per failure mode, named after the bad pattern, in a folder for each chapter of the catalogue.
//!
//! To add one: write its file with a [`Rule`], put it into [`RULES`] before the rules that its signal also satisfies,
//! and give its id an entry in the catalogue. To let rules speak of a further kind of subject: a variant of [`Check`], and
//! its line in `Check::ask`.

mod capture;
mod compiled;
mod fact;
mod group;
mod memory;
mod region;
mod replay;
mod rule;
mod speed;
mod twin;
mod update;
mod verdict;

pub(crate) use rule::{Check, Rule};
pub(crate) use verdict::{Verdict, called, nodes, says};

use crate::subjects::Subject;

/// The rules in order of precedence: the first that recognises a failure explains it.
///
/// What the program was doing comes before what kind of call was refused: a compiler that allocates, or a library that
/// frees, is recognised as such before the allocation is. Of several subjects about one input, the rule that comes first
/// speaks. Otherwise, rules about one kind of subject stand together.
pub(crate) const RULES: &[Rule] = &[
    // Failures. What the program was doing.
    memory::free_suppressed_in_capture::FAILURE,
    capture::out_of_memory_in_capture::RULE,
    capture::compile_in_capture::RULE,
    capture::reentrant_checkpoint_in_graphed_callable::RULE,
    capture::graphed_callable_refused::RULE,
    capture::inference_tensor_in_capture::RULE,
    capture::checkpoint_preserves_rng::RULE,
    capture::rng_state_read_or_written::RULE,
    capture::generator_not_registered::RULE,
    capture::optimizer_not_capturable::RULE,
    capture::replay_inside_capture::RULE,
    capture::graph_already_captured::RULE,
    replay::graphed_callables_under_autocast::RULE,
    replay::input_freed_after_capture::FAILURE,
    capture::capture_on_default_stream::RULE,
    capture::capture_inside_capture::RULE,
    capture::nccl_communicator_created_in_capture::RULE,
    capture::wrong_device::RULE,
    capture::first_use_of_library_in_capture::RULE,
    capture::pageable_copy_in_capture::RULE,
    capture::finalizer_in_capture::RULE,
    // Who made the refused call.
    capture::nccl_watchdog_query::RULE,
    capture::pin_memory_thread_in_capture::RULE,
    capture::other_thread_violates_global_capture::RULE,
    // What kind of call it was.
    capture::pinned_allocation_in_capture::RULE,
    capture::query_in_capture::RULE,
    capture::stream_not_rejoined::RULE,
    capture::end_on_wrong_thread::RULE,
    capture::captures_merged::RULE,
    capture::event_of_finished_capture::RULE,
    capture::ddp_built_on_default_stream::RULE,
    capture::autograd_node_on_default_stream::RULE,
    capture::wait_on_uncaptured_work::RULE,
    capture::stream_not_forked_from_capture::RULE,
    capture::allocation_outside_capture_pool::RULE,
    capture::host_sync_in_capture::RULE,
    // What was asked of a graph that is there.
    update::update_topology_changed::RULE,
    update::update_node_type_changed::RULE,
    update::update_parameters_unsupported::RULE,
    update::memory_nodes_already_instantiated::RULE,
    update::relaunch_without_free::RULE,
    update::replayed_before_instantiation::RULE,
    capture::forbidden_in_conditional_body::RULE,
    // Nothing known.
    capture::capture_invalidated_earlier::RULE,
    // Replays. How a freed input came to be freed, before that it was.
    replay::library_workspace_freed::RULE,
    replay::autocast_cache_baked_in::RULE,
    replay::input_rebound_after_capture::RULE,
    fact::input_renamed_after_capture::RULE,
    twin::tensor_of_the_capture::RULE,
    memory::freed_memory_at_replay::RULE,
    replay::input_freed_after_capture::RULE,
    replay::work_left_out_of_the_graph::RULE,
    replay::pinned_result_read_early::RULE,
    replay::pinned_source_overwritten::RULE,
    replay::host_source_freed::RULE,
    replay::graphed_callables_out_of_order::RULE,
    replay::graphed_callables_out_of_order::BACKWARD,
    replay::shared_pool_overwrites_live_tensor::RULE,
    replay::shared_pool_replayed_concurrently::RULE,
    replay::memory_shared_across_branches::RULE,
    replay::live_tensor_inside_graph_pool::RULE,
    replay::padding_rows_keep_old_values::RULE,
    replay::warm_up_left_its_mark::RULE,
    replay::pool_contents_lost::RULE,
    replay::address_shared_outside::RULE,
    replay::results_compared_with_themselves::RULE,
    replay::static_gradient_aliased::RULE,
    // Regions.
    region::frozen_control_flow::RULE,
    region::shape_fixed_at_capture::RULE,
    region::host_plan_frozen::RULE,
    region::frozen_scalar::RULE,
    // What Python knows.
    fact::gradient_buffer_dropped::RULE,
    fact::optimizer_number_frozen::RULE,
    fact::output_kept_without_clone::RULE,
    fact::static_gradient_kept::RULE,
    fact::host_side_effect_skipped::RULE,
    fact::module_hook_skipped::RULE,
    // What the twin of a region shows.
    twin::mode_of_the_capture::RULE,
    twin::hook_since_the_capture::RULE,
    twin::parameter_learns_since::RULE,
    twin::work_of_the_capture::RULE,
    twin::copy_of_the_capture::RULE,
    twin::choice_of_the_capture::RULE,
    twin::size_of_the_capture::RULE,
    twin::part_of_the_capture::RULE,
    twin::number_of_the_capture::RULE,
    twin::made_at_each_replay::RULE,
    // Compiled functions.
    compiled::output_kept_across_calls::RULE,
    compiled::graph_partitioned::RULE,
    // Speed.
    speed::captured_and_never_replayed::RULE,
    speed::input_copies_dominate::RULE,
    speed::many_small_graphs::RULE,
    speed::too_many_streams::RULE,
    // Process groups, and other ways from process to process.
    group::host_message_in_capture::RULE,
    group::process_group_destroyed_before_graphs::RULE,
    group::graph_outlives_process_group_at_exit::RULE,
    // Memory.
    memory::static_inputs_per_graph::RULE,
    memory::pool_per_graph::RULE,
    memory::eager_cannot_reuse_graph_pool::RULE,
    memory::fragmentation_across_pools::RULE,
    memory::recycling_deferred_by_record_stream::RULE,
    memory::gradient_accumulator_on_other_stream::RULE,
    memory::free_suppressed_in_capture::RULE,
    memory::pool_leaked_by_failed_capture::RULE,
    memory::memory_grows_with_replays::RULE,
];

/// Whether a rule recognises a failure mode.
pub(crate) fn detects(id: &str) -> bool {
    RULES.iter().any(|rule| rule.id == id)
}

/// Whether a failure mode shows in what replays compute: a rule recognises it in another subject than a failed capture.
pub(crate) fn shows_in_replays(id: &str) -> bool {
    let is_of_replays = |check: &Check| !matches!(check, Check::Failure(_));
    RULES
        .iter()
        .any(|rule| rule.id == id && is_of_replays(&rule.check))
}

/// What a rule says of a subject.
pub(crate) struct Explanation {
    /// The rule's place among [`RULES`].
    pub(crate) rank: usize,
    pub(crate) id: &'static str,
    pub(crate) verdict: Verdict,
}

/// The first rule that recognises a subject, and what it says.
pub(crate) fn explain(subject: &Subject<'_, '_>) -> Option<Explanation> {
    let mut rules = RULES.iter().enumerate();
    rules.find_map(|(rank, rule)| {
        Some(Explanation {
            rank,
            id: rule.id,
            verdict: rule.check.ask(subject)?,
        })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::mem;

    use super::*;

    #[test]
    fn every_rule_is_in_the_catalogue() {
        for rule in RULES {
            assert!(cgsan_catalogue::entry(rule.id).is_some(), "{}", rule.id);
        }
    }

    #[test]
    fn no_two_rules_about_one_kind_of_subject_share_an_id() {
        let mut seen = HashSet::new();
        for rule in RULES {
            let kind = mem::discriminant(&rule.check);
            assert!(seen.insert((kind, rule.id)), "{}", rule.id);
        }
    }
}
