//! The table of what a capture permits, from probes.
