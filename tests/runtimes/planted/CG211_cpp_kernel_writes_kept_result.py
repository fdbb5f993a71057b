"""The program keeps the tensor that a captured kernel of C++ writes, and the next replay writes it anew."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from registered_kernels import Kernel


def main():
    kernel = Kernel()
    x, warm = torch.zeros(64, device="cuda"), torch.zeros(64, device="cuda")
    kernel.launch(x, warm, 2.0)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # cgsan: label
        y = torch.empty_like(x)
        kernel.launch(x, y, 2.0)
    results = []
    for number in range(1, 4):
        x.fill_(number)
        graph.replay()  # cgsan: CG211
        results.append(y)
    torch.stack(results)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
