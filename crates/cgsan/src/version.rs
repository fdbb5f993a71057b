//! What `cgsan --version` says.

/// The version, and where the build comes from.
pub const LONG: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit:    ",
    env!("CGSAN_BUILD_COMMIT"),
    "\ntarget:    ",
    env!("CGSAN_BUILD_TARGET"),
    "\ncompiler:  ",
    env!("CGSAN_BUILD_RUSTC"),
    "\nlibraries: ",
    env!("CGSAN_BUILD_LIBRARIES"),
);
