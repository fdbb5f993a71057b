"""A kernel of CuPy, and a layer that launches it on memory that it shares with PyTorch."""

import cupy
import numpy
import torch

scale = cupy.RawKernel(
    """
    extern "C" __global__ void scale(const float* x, float* y, float factor, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = factor * x[i];
    }
    """,
    "scale",
)


def on_stream_of_pytorch():
    """A context in which CuPy uses the current stream of PyTorch."""
    return cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)


class Layer:
    def __init__(self):
        self.factor = 2.0
        self.x = cupy.from_dlpack(torch.zeros(64, device="cuda"))
        self.y = cupy.from_dlpack(torch.zeros(64, device="cuda"))

    def given(self):
        """What the kernel is given."""
        return self.x, self.y, numpy.float32(self.factor), numpy.int32(64)

    def __call__(self):
        with on_stream_of_pytorch():
            scale((1,), (64,), self.given())

    def capture(self):
        """The graph of one call."""
        self()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self()
        return graph

    def result(self):
        """The first number of the last result."""
        return torch.from_dlpack(self.y)[0].item()

    def eager(self):
        """The same of an eager call."""
        self()
        return self.result()
