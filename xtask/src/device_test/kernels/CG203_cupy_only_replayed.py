"""The attribute that a kernel of CuPy reads gets the next batch. Nothing runs eagerly behind the capture that would show what the kernel reads."""

import sys
from pathlib import Path

import cupy
import torch

sys.path.insert(0, str(Path(__file__).parent / "of_cupy"))
from layer import Layer


def main():
    layer = Layer()
    layer.x = torch.zeros(64, device="cuda")
    layer.given = lambda: (cupy.from_dlpack(layer.x), layer.y, cupy.float32(2.0), cupy.int32(64))
    graph = layer.capture()
    first = layer.x
    replayed = []
    for number in range(1, 4):
        layer.x = torch.full((64,), float(number), device="cuda")  # cgsan: CG203
        graph.replay()
        replayed.append(layer.result())
    print("replayed", replayed)
    del first


if __name__ == "__main__":
    main()
