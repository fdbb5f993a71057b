//! What `cgsan --version` says.

/// The version, and where the build comes from.
pub const LONG: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit:    ",
    env!("BUILT_COMMIT"),
    "\ntarget:    ",
    env!("BUILT_TARGET"),
    "\ncompiler:  ",
    env!("BUILT_RUSTC"),
    "\nlibraries: ",
    env!("BUILT_LIBRARIES"),
    "\nproject:   ",
    env!("BUILT_PROJECT"),
);
