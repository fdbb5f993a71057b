"""A number in a structure changes after the capture. The kernel comes from a cubin, of which nothing tells where in the structure it lies."""

import sys
from pathlib import Path

import torch
from cuda.bindings import driver

sys.path.insert(0, str(Path(__file__).parents[1]))
from structures_in_a_cubin import Layer


class Scaled(Layer):
    def __call__(self):
        given = self.given(self.plan.factor)
        driver.cuLaunchKernel(*given)  # cgsan: CG205


def main():
    layer = Scaled()
    graph = layer.capture()
    for number in range(1, 4):
        layer.plan.factor = 0.3 * number
        graph.replay()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
