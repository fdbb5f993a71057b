"""The runtime in `cuda.bindings`: a capture, and a graph that is made and changed by hand."""

import numpy
from cuda.bindings import runtime


def ok(answer):
    error, *values = answer
    assert error == runtime.cudaError_t.cudaSuccess, error
    return values[0] if len(values) == 1 else values


def captured(stream, memory):
    ok(runtime.cudaStreamBeginCapture(stream, runtime.cudaStreamCaptureMode(0)))
    ok(runtime.cudaMemsetAsync(memory, 1, 64, stream))
    status, _, _, nodes, edges, count = ok(runtime.cudaStreamGetCaptureInfo(stream))
    assert (status, len(nodes), len(edges), count) == (1, 1, 1, 1)
    return ok(runtime.cudaStreamEndCapture(stream))


def read(memory):
    host = numpy.zeros(64, numpy.uint8)
    to_host = runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
    ok(runtime.cudaMemcpy(host.ctypes.data, memory, host.nbytes, to_host))
    return set(host.tolist())


def main():
    stream = ok(runtime.cudaStreamCreateWithFlags(runtime.cudaStreamNonBlocking))
    memory = ok(runtime.cudaMalloc(64))
    graph = captured(stream, memory)
    executable = ok(runtime.cudaGraphInstantiate(graph, 0))
    ok(runtime.cudaGraphLaunch(executable, stream))
    ok(runtime.cudaStreamSynchronize(stream))
    assert read(memory) == {1}

    by_hand = ok(runtime.cudaGraphCreate(0))
    first = ok(runtime.cudaGraphAddChildGraphNode(by_hand, None, 0, graph))
    fill = runtime.cudaMemsetParams()
    fill.dst, fill.value, fill.elementSize, fill.width, fill.height = memory, 2, 1, 64, 1
    ok(runtime.cudaGraphAddMemsetNode(by_hand, [first], 1, fill))
    executable = ok(runtime.cudaGraphInstantiate(by_hand, 0))
    ok(runtime.cudaGraphLaunch(executable, stream))
    ok(runtime.cudaStreamSynchronize(stream))
    assert read(memory) == {2}


if __name__ == "__main__":
    main()
