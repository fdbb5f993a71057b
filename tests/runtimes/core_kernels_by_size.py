"""Kernels of `cuda.core` in a graph for each size, which share a pool, and in one whose result has a name that goes on to another
tensor; what kernels are given does not say whether they read or write it.
"""

import numpy
import torch
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, Stream, launch

CODE = """
extern "C" __global__ void fill(float* y, float value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = value;
}
extern "C" __global__ void copy(float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}
"""


class Kernels:
    def __init__(self, module):
        self._fill, self._copy = (module.get_kernel(name) for name in ("fill", "copy"))

    def fill(self, y, value):
        self._launch(self._fill, y.data_ptr(), numpy.float32(value), count=y.numel())

    def copy(self, x, y):
        self._launch(self._copy, x.data_ptr(), y.data_ptr(), count=y.numel())

    def _launch(self, kernel, *given, count):
        stream = Stream.from_handle(torch.cuda.current_stream().cuda_stream)
        config = LaunchConfig(grid=count // 64, block=64)
        launch(stream, config, kernel, *given, numpy.int32(count))


def in_one_pool(kernels):
    """A graph for each size, in one pool."""
    x, pool, graphs = torch.zeros(256, device="cuda"), torch.cuda.graph_pool_handle(), {}

    def step(count):
        y, z = torch.empty(count, device="cuda"), torch.empty(count, device="cuda")
        kernels.fill(y, 0.5)
        kernels.copy(x, z)
        kernels.copy(z, y)
        return y

    for count in (256, 128, 64):
        step(count)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool):
            result = step(count)
        graphs[count] = graph, result
    kept = []
    for count in (256, 64, 128, 256, 64):
        x.fill_(count)
        graph, result = graphs[count]
        graph.replay()
        kept.append(result.clone())
        step(count)
    return kept


def renamed(kernels):
    """The name of a result goes on to what is computed from it, and a kernel gives a graph its input."""
    x, y = torch.ones(64, device="cuda"), torch.empty(64, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernels.copy(x, y)
    result = y
    for value in range(3):
        kernels.fill(x, value)
        graph.replay()
        y = result * 2
    return y


def main():
    device = Device()
    device.set_current()
    program = Program(CODE, "c++", ProgramOptions(arch=f"sm_{device.arch}"))
    kernels = Kernels(program.compile("cubin"))
    assert len(in_one_pool(kernels)) == 5
    assert renamed(kernels).numel() == 64
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
