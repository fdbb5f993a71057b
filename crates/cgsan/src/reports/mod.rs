//! From traces to what is shown of them.

pub mod diagnosis;
pub mod examined;
pub mod kept_trials;
pub mod output;
#[cfg(feature = "export")]
pub mod partitioned;
pub mod selection;
pub mod strict;
