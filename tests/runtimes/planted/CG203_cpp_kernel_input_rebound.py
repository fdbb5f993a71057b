"""The attribute that a kernel of C++ reads gets the next batch, and the graph reads the first one."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from registered_kernels import Kernel, Layer


def main():
    layer = Layer(Kernel())
    graph = layer.capture()
    for number in range(1, 4):
        layer.x = torch.full((64,), float(number), device="cuda")  # cgsan: CG203
        graph.replay()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
