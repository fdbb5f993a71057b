"""A kernel of `cuda.core` is given a factor by value, which the program raises after the capture."""

import numpy
import torch
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, Stream, launch

CODE = """
extern "C" __global__ void scale(const float* x, float* y, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = factor * x[i];
}
"""


class Scale:
    def __init__(self, kernel):
        self.kernel = kernel
        self.factor = 1.0

    def __call__(self, x, y):
        stream = Stream.from_handle(torch.cuda.current_stream().cuda_stream)
        config = LaunchConfig(grid=1, block=64)
        given = x.data_ptr(), y.data_ptr(), numpy.float32(self.factor), numpy.int32(64)
        launch(stream, config, self.kernel, *given)  # cgsan: CG205


def main():
    device = Device()
    device.set_current()
    program = Program(CODE, "c++", ProgramOptions(arch=f"sm_{device.arch}"))
    scale = Scale(program.compile("cubin").get_kernel("scale"))
    x, y = torch.ones(64, device="cuda"), torch.empty(64, device="cuda")
    scale(x, y)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        scale(x, y)
    for factor in (2.0, 4.0, 8.0):
        scale.factor = factor
        graph.replay()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
