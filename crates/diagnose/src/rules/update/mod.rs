//! `CG6xx`: executable graphs that cannot be made, updated or launched.

pub(super) mod memory_nodes_already_instantiated;
mod refused;
pub(super) mod relaunch_without_free;
pub(super) mod replayed_before_instantiation;
pub(super) mod update_node_type_changed;
pub(super) mod update_parameters_unsupported;
pub(super) mod update_topology_changed;
