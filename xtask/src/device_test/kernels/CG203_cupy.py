"""The attribute that a kernel of CuPy reads gets the next batch, and the graph reads the first one."""

import sys
from pathlib import Path

import cupy
import torch

sys.path.insert(0, str(Path(__file__).parent / "of_cupy"))
from layer import Layer


def main():
    layer = Layer()
    graph = layer.capture()
    replayed, called = [], []
    for number in range(1, 4):
        layer.x = cupy.from_dlpack(torch.full((64,), float(number), device="cuda"))  # cgsan: CG203
        graph.replay()
        replayed.append(layer.result())
        called.append(layer.eager())
    print("replay", replayed, "eager", called)


if __name__ == "__main__":
    main()
