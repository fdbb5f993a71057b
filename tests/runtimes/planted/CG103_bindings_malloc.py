"""Memory is allocated by the runtime in `cuda.bindings`, in a capture."""

from cuda.bindings import runtime


def main():
    _, stream = runtime.cudaStreamCreateWithFlags(runtime.cudaStreamNonBlocking)
    runtime.cudaStreamBeginCapture(stream, runtime.cudaStreamCaptureMode(0))
    runtime.cudaMalloc(64)  # cgsan: CG103
    error, _ = runtime.cudaStreamEndCapture(stream)
    assert error == runtime.cudaError_t.cudaErrorStreamCaptureInvalidated


if __name__ == "__main__":
    main()
