"""The tensor that a kernel of CuPy reads is dropped after the capture."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent / "of_cupy"))
from layer import Layer


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
