//! What CuPy refuses while its current stream captures, before it asks CUDA.

use crate::history::stack;
use crate::subjects::Failure;

/// What was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refused {
    /// A copy between the CPU and the GPU, asynchronous or not.
    Copy,
    /// A call that waits.
    Wait,
    /// A capture on the legacy stream.
    LegacyStream,
    /// A call to one of CUDA's libraries, which CuPy has not been tried with in captures.
    Library,
}

/// CuPy's words: of `cupy/cuda/memory.pyx`, `cupy/cuda/stream.pyx` and `cupy_backends/cuda/libs/*.pyx` (CuPy 14).
const WORDS: [(&str, Refused); 4] = [
    ("transfers are disallowed", Refused::Copy),
    ("synchronous API calls are disallowed", Refused::Wait),
    (
        "cannot capture on the default (legacy) stream",
        Refused::LegacyStream,
    ),
    (
        "API during stream capture is currently unsupported",
        Refused::Library,
    ),
];

/// What CuPy has refused, if an exception of its own is the cause.
pub(super) fn refused(failure: &Failure<'_, '_>) -> Option<Refused> {
    let thrown = failure.thrown()?;
    stack::is_of_cupy(thrown.stack.first()?).then_some(())?;
    let (_, refused) = WORDS
        .iter()
        .find(|(words, _)| thrown.message.contains(words))?;
    Some(*refused)
}
