//! What processes ran on.

/// What a process ran on, as its trace says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// The version of PyTorch, e.g. `2.11.0+cu130`; empty if it is not known.
    pub torch: String,
    /// The version of CPython, e.g. `3.12.3`; empty if it is not known.
    pub python: String,
    /// The device, e.g. `virtual NVIDIA H100 80GB HBM3`; empty if it is not known.
    pub device: String,
    /// The name of the machine; `None` where the trace does not have it.
    pub host: Option<String>,
    /// Seconds since the Unix epoch when the process began to be recorded; 0 if that is not known.
    pub started: u64,
}
