"""The attribute that a kernel of `cuda.core` reads gets the next batch, and the graph reads the first one."""

import numpy
import torch
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, Stream, launch

CODE = """
extern "C" __global__ void square(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * x[i];
}
"""


class Square:
    def __init__(self, kernel):
        self.kernel = kernel
        self.x, self.y = torch.zeros(64, device="cuda"), torch.empty(64, device="cuda")

    def __call__(self):
        stream = Stream.from_handle(torch.cuda.current_stream().cuda_stream)
        config = LaunchConfig(grid=1, block=64)
        given = self.x.data_ptr(), self.y.data_ptr(), numpy.int32(64)
        launch(stream, config, self.kernel, *given)

    def capture(self):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self()
        return graph

    def give(self, batch):
        self.x = batch  # cgsan: CG203


def main():
    device = Device()
    device.set_current()
    program = Program(CODE, "c++", ProgramOptions(arch=f"sm_{device.arch}"))
    square = Square(program.compile("cubin").get_kernel("square"))
    first = square.x
    graph = square.capture()
    for number in range(1, 4):
        square.give(torch.full((64,), float(number), device="cuda"))
        graph.replay()
    torch.cuda.synchronize()
    del first


if __name__ == "__main__":
    main()
