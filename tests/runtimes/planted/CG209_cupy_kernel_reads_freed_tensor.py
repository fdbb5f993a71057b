"""A raw kernel of CuPy reads a tensor of PyTorch, by DLPack, that nobody holds after the capture."""

import cupy
import torch

add = cupy.RawKernel(
    """
    extern "C" __global__ void add(const float* x, const float* table, float* y) {
        y[threadIdx.x] = x[threadIdx.x] + table[threadIdx.x];
    }
    """,
    "add",
)


class Layer:
    def __init__(self, x):
        table = torch.ones(64, device="cuda")  # cgsan: label
        self.result = torch.zeros(64, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        given = [cupy.from_dlpack(tensor) for tensor in (x, table, self.result)]
        stream = torch.cuda.Stream()
        external = cupy.cuda.ExternalStream(stream.cuda_stream)
        with torch.cuda.graph(self.graph, stream=stream), external:
            add((1,), (64,), tuple(given))

    def __call__(self):
        self.graph.replay()  # cgsan: CG209
        return self.result


def main():
    x = torch.ones(64, device="cuda")
    layer = Layer(x)
    noise = torch.full((64,), 7.0, device="cuda")
    layer()
    torch.cuda.synchronize()
    del noise


if __name__ == "__main__":
    main()
