"""The grid of a kernel of `cuda.core` follows a length that grows after the capture."""

import numpy
import torch
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, Stream, launch

CODE = """
extern "C" __global__ void copy(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}
"""


class Reader:
    def __init__(self, kernel):
        self.kernel = kernel
        self.length = 64
        self.x, self.y = torch.ones(512, device="cuda"), torch.zeros(512, device="cuda")

    def __call__(self):
        stream = Stream.from_handle(torch.cuda.current_stream().cuda_stream)
        config = LaunchConfig(grid=self.length // 64, block=64)
        given = self.x.data_ptr(), self.y.data_ptr(), numpy.int32(512)
        launch(stream, config, self.kernel, *given)  # cgsan: CG207


def main():
    device = Device()
    device.set_current()
    program = Program(CODE, "c++", ProgramOptions(arch=f"sm_{device.arch}"))
    reader = Reader(program.compile("cubin").get_kernel("copy"))
    reader()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        reader()
    for length in (128, 256, 512):
        reader.length = length
        graph.replay()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
