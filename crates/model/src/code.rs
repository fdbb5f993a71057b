//! The result codes of CUDA.

/// A result code, shared by the runtime (`cudaError_t`) and the driver (`CUresult`), which number the ones below alike.
///
/// A newtype and not an enum: a newer CUDA may return a code that this build has never heard of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[must_use]
pub struct Code(pub i32);

macro_rules! codes {
    ($($constant:ident = $value:literal, $runtime:literal, $driver:literal, $text:literal;)*) => {
        impl Code {
            $(#[doc = concat!("`", $runtime, "`, `", $driver, "`: ", $text, ".")]
            pub const $constant: Code = Code($value);)*

            /// Every code that has a name here, ascending.
            pub const ALL: &[Code] = &[$(Code($value)),*];

            /// The name in the runtime API, e.g. `cudaErrorStreamCaptureUnsupported`.
            pub fn runtime_name(self) -> Option<&'static str> {
                match self.0 { $($value => Some($runtime),)* _ => None }
            }

            /// The name in the driver API, e.g. `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`.
            pub fn driver_name(self) -> Option<&'static str> {
                match self.0 { $($value => Some($driver),)* _ => None }
            }

            /// The text that `cudaGetErrorString` returns.
            pub fn text(self) -> Option<&'static str> {
                match self.0 { $($value => Some($text),)* _ => None }
            }
        }
    };
}

codes! {
    SUCCESS = 0, "cudaSuccess", "CUDA_SUCCESS", "no error";
    INVALID_VALUE = 1, "cudaErrorInvalidValue", "CUDA_ERROR_INVALID_VALUE", "invalid argument";
    OUT_OF_MEMORY = 2, "cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY", "out of memory";
    NOT_INITIALIZED = 3, "cudaErrorInitializationError", "CUDA_ERROR_NOT_INITIALIZED", "initialization error";
    NO_DEVICE = 100, "cudaErrorNoDevice", "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected";
    INVALID_DEVICE = 101, "cudaErrorInvalidDevice", "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal";
    INVALID_CONTEXT = 201, "cudaErrorDeviceUninitialized", "CUDA_ERROR_INVALID_CONTEXT", "invalid device context";
    INVALID_HANDLE = 400, "cudaErrorInvalidResourceHandle", "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle";
    ILLEGAL_STATE = 401, "cudaErrorIllegalState", "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state";
    NOT_FOUND = 500, "cudaErrorSymbolNotFound", "CUDA_ERROR_NOT_FOUND", "named symbol not found";
    NOT_READY = 600, "cudaErrorNotReady", "CUDA_ERROR_NOT_READY", "device not ready";
    PEER_ACCESS_ALREADY_ENABLED = 704, "cudaErrorPeerAccessAlreadyEnabled", "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled";
    NOT_PERMITTED = 800, "cudaErrorNotPermitted", "CUDA_ERROR_NOT_PERMITTED", "operation not permitted";
    NOT_SUPPORTED = 801, "cudaErrorNotSupported", "CUDA_ERROR_NOT_SUPPORTED", "operation not supported";
    STREAM_CAPTURE_UNSUPPORTED = 900, "cudaErrorStreamCaptureUnsupported", "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing";
    STREAM_CAPTURE_INVALIDATED = 901, "cudaErrorStreamCaptureInvalidated", "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture";
    STREAM_CAPTURE_MERGE = 902, "cudaErrorStreamCaptureMerge", "CUDA_ERROR_STREAM_CAPTURE_MERGE", "operation would result in a merge of separate capture sequences";
    STREAM_CAPTURE_UNMATCHED = 903, "cudaErrorStreamCaptureUnmatched", "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "capture was not ended in the same stream as it began";
    STREAM_CAPTURE_UNJOINED = 904, "cudaErrorStreamCaptureUnjoined", "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "capturing stream has unjoined work";
    STREAM_CAPTURE_ISOLATION = 905, "cudaErrorStreamCaptureIsolation", "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "dependency created on uncaptured work in another stream";
    STREAM_CAPTURE_IMPLICIT = 906, "cudaErrorStreamCaptureImplicit", "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "operation would make the legacy stream depend on a capturing blocking stream";
    CAPTURED_EVENT = 907, "cudaErrorCapturedEvent", "CUDA_ERROR_CAPTURED_EVENT", "operation not permitted on an event last recorded in a capturing stream";
    STREAM_CAPTURE_WRONG_THREAD = 908, "cudaErrorStreamCaptureWrongThread", "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "attempt to terminate a thread-local capture sequence from another thread";
    GRAPH_EXEC_UPDATE_FAILURE = 910, "cudaErrorGraphExecUpdateFailure", "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update";
    UNKNOWN = 999, "cudaErrorUnknown", "CUDA_ERROR_UNKNOWN", "unknown error";
}

impl Code {
    /// Whether the call did what it was asked.
    pub fn is_success(self) -> bool {
        self == Code::SUCCESS
    }

    /// Whether stream capture is what refused the call (900 to 908).
    pub fn is_capture_refusal(self) -> bool {
        (900..=908).contains(&self.0)
    }
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.runtime_name() {
            Some(name) => write!(f, "{} ({name})", self.0),
            None => write!(f, "{}", self.0),
        }
    }
}
