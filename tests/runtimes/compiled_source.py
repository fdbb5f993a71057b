"""The repaired twins of the planted programs with kernels of `torch.cuda._compile_kernel`: the graph reads what is written before each replay."""

import os

import torch

# Where NVRTC would find the headers of CUDA, which this needs none of.
os.environ.setdefault("CUDA_HOME", "/usr")
CODE = """
extern "C" __global__ void scale(const float* x, float* y, double factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = factor * x[i];
}
"""


class Layer:
    def __init__(self):
        self.x, self.y = torch.ones(64, device="cuda"), torch.zeros(64, device="cuda")
        self.factor, self.steps = 2.0, 0
        self.kernel = torch.cuda._compile_kernel(CODE, "scale")

    def __call__(self):
        self.kernel((1, 1, 1), (64, 1, 1), (self.x, self.y, self.factor, 64))

    def capture(self):
        self()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self()
        return graph


def main():
    layer = Layer()
    graph = layer.capture()
    for number in range(1, 4):
        layer.x.copy_(torch.full((64,), float(number), device="cuda"))
        layer.steps = number
        graph.replay()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
