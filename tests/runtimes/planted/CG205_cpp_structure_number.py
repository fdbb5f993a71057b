"""A number in a structure that a kernel of C++ is given by value changes after the capture."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from structure_kernels import Kernel, Layer


class Scaled(Layer):
    def __call__(self):
        given = self.kernel.given(self.x, self.y, self.factor)
        self.kernel.runtime.cudaLaunchKernel(*given)  # cgsan: CG205


def main():
    layer = Scaled(Kernel())
    graph = layer.capture()
    for number in range(1, 4):
        layer.factor = 0.5 * number
        graph.replay()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
