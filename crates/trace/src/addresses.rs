//! What calls do to addresses beside PyTorch's allocator.

use crate::FrameId;

/// A call changed what lies at some addresses, or who knows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRecord {
    /// What it did.
    pub what: AddressChange,
    /// The first address.
    pub start: u64,
    /// How many bytes; 0 if the call does not say.
    pub bytes: u64,
    /// The Python stack of the calling thread; `None` where it has no Python frame, or none was taken.
    pub stack: Option<FrameId>,
}

/// What became of some addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressChange {
    /// Memory of undefined contents lies there now (`cuMemMap`).
    Mapped,
    /// Nothing lies there any more (`cuMemUnmap`).
    Unmapped,
    /// Another process or a communicator was given them (`cudaIpcGetMemHandle`, `ncclCommRegister`), by other code than
    /// PyTorch's, which keeps what it shares. Of a handle for a whole allocation, the address is the one that was asked about
    /// to find where the allocation begins, if one was.
    Shared,
}
