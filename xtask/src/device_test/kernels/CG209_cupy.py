"""The tensor that a kernel of CuPy reads is dropped after the capture."""

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


class Layer:
    def __init__(self):
        self.factor = 2.0
        self.x = cupy.from_dlpack(torch.zeros(64, device="cuda"))
        self.y = cupy.from_dlpack(torch.zeros(64, device="cuda"))

    def __call__(self):
        given = self.x, self.y, numpy.float32(self.factor), numpy.int32(64)
        with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
            scale((1,), (64,), given)

    def capture(self):
        self()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self()
        return graph

    def result(self):
        return torch.from_dlpack(self.y)[0].item()

    def eager(self):
        self()
        return self.result()


def main():
    layer = Layer()
    graph = layer.capture()
    torch.from_dlpack(layer.x).fill_(1)
    torch.cuda.synchronize()
    layer.x = None  # Its memory is the next tensor's.
    noise = torch.full((64,), 7.0, device="cuda")
    graph.replay()  # cgsan: CG209
    print("replay", layer.result(), "eager", 2.0)
    del noise


if __name__ == "__main__":
    main()
