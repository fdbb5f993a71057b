"""Kernels of `cuda.core` on tensors of PyTorch, in a graph: what they read stays where it is, numbers that change lie on the device,
and results get names of their own.
"""

import numpy
import torch
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, Stream, launch

CODE = """
extern "C" __global__ void scale(const float* x, const float* factor, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = factor[0] * x[i];
}
extern "C" __global__ void add(float* y, float* scratch, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { scratch[i] = y[i]; y[i] += scratch[i]; }
}
"""


class Step:
    def __init__(self, module):
        self.scale, self.add = (module.get_kernel(name) for name in ("scale", "add"))
        self.x = torch.zeros(64, device="cuda")
        self.factor = torch.ones(1, device="cuda")

    def __call__(self):
        y = torch.empty_like(self.x)
        self.launch(self.scale, self.x, self.factor, y)
        self.launch(self.add, y, torch.empty_like(y))
        return y

    def launch(self, kernel, *tensors):
        stream = Stream.from_handle(torch.cuda.current_stream().cuda_stream)
        pointers = (tensor.data_ptr() for tensor in tensors)
        count = numpy.int32(self.x.numel())
        launch(stream, LaunchConfig(grid=1, block=64), kernel, *pointers, count)


def main():
    device = Device()
    device.set_current()
    program = Program(CODE, "c++", ProgramOptions(arch=f"sm_{device.arch}"))
    step = Step(program.compile("cubin", name_expressions=("scale", "add")))
    for number in range(3):
        step.x.fill_(number)
        step.factor.fill_(number)
        step()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = step()
    kept = []
    for number in range(4):
        step.x.copy_(torch.full((64,), float(number), device="cuda"))
        step.factor.fill_(number)
        graph.replay()
        kept.append(result.clone())
    result = step()
    graph.replay()
    torch.cuda.synchronize()
    assert len(kept) == 4 and result.numel() == 64


if __name__ == "__main__":
    main()
