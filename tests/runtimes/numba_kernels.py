"""Kernels of numba, compiled when they are first launched, are captured with PyTorch's and replayed."""

import numba.cuda
import torch

# Otherwise a grid of one block is said to leave a GPU idle.
numba.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0


@numba.cuda.jit
def add(x, y):
    place = numba.cuda.grid(1)
    if place < y.size:
        y[place] += x[place]


def main():
    x, y = torch.ones(64, device="cuda"), torch.zeros(64, device="cuda")
    add[1, 64](x, y)
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        x.mul_(2)
        add[1, 64, numba.cuda.external_stream(stream.cuda_stream)](x, y)
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
