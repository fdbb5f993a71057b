"""A kernel of C++ reads a tensor that nobody holds after the capture."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from registered_kernels import Kernel


def capture(kernel, y):
    x = torch.ones(64, device="cuda")  # cgsan: label
    kernel.launch(x, y, 2.0)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel.launch(x, y, 2.0)
    return graph


def main():
    y = torch.zeros(64, device="cuda")
    graph = capture(Kernel(), y)
    noise = torch.full((64,), 7.0, device="cuda")
    graph.replay()  # cgsan: CG209
    torch.cuda.synchronize()
    del noise


if __name__ == "__main__":
    main()
