"""The attribute whose pointer a kernel of C++ is given in a structure gets the next batch."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from structure_kernels import Kernel, Layer


def main():
    layer = Layer(Kernel())
    graph = layer.capture()
    for number in range(1, 4):
        layer.x = torch.full((64,), float(number), device="cuda")  # cgsan: CG203
        graph.replay()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
