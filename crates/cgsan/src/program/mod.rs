//! The program that is watched: which GPU it gets, how it is started, what it leaves, and what ends it.

pub mod driver_log;
pub mod gpu;
pub mod hangs;
pub mod interrupt;
pub mod kernel_caches;
pub mod library;
pub mod probe;
pub mod python_files;
pub mod pytorch;
pub mod relay;
pub mod run_directory;
pub mod shortening;
pub mod start;
pub mod status;
pub mod stubs;
pub mod supported;
pub mod trial;
