"""A number is frozen in a graph, and all operators go through a mode of the program's own."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Passing(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        return function(*arguments, **(keywords or {}))


def main():
    x = torch.full((4,), 2.0, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with Passing():
        for step in range(6):
            if step < 3:
                y = x * step
            elif step == 3:
                with torch.cuda.graph(graph):
                    y = x * step  # cgsan: CG205
            if step >= 3:
                graph.replay()
    print(y.sum().item())


main()
