//! The runtime's last error: kept per thread until it is read.

use std::cell::Cell;

use cgsan_model::Code;

thread_local! {
    static LAST: Cell<Code> = const { Cell::new(Code::SUCCESS) };
}

/// Remembers the error that a runtime function returns.
pub fn set(code: Code) {
    LAST.set(code);
}

/// The calling thread's last error (`cudaPeekAtLastError`).
pub fn peek() -> Code {
    LAST.get()
}

/// The calling thread's last error, which is thereby forgotten (`cudaGetLastError`).
pub fn take() -> Code {
    LAST.replace(Code::SUCCESS)
}
