"""Statements use the results of several calls: of copies, of numbers, of one that is given to the next call, and of a graph for each size."""

import torch


def doubled(x):
    return x * 2


class Graphs:
    def __init__(self):
        self.graphs = {}
        self.pool = torch.cuda.graph_pool_handle()

    def __call__(self, x):
        if len(x) not in self.graphs:
            static = torch.zeros_like(x)
            doubled(static)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=self.pool):
                y = doubled(static)
            self.graphs[len(x)] = graph, static, y
        graph, static, y = self.graphs[len(x)]
        static.copy_(x)
        graph.replay()
        return y


run = Graphs()


def copied(x):
    return run(x).clone()


small, large = torch.ones(2, device="cuda"), torch.ones(3, device="cuda")
for value in (1.0, 2.0, 3.0):
    small.fill_(value)
    large.fill_(value)
    a, b = run(small), run(large)
    print("replay", a[0].item() + b[0].item(), "eager", 4 * value)
    print("replay", (copied(small) - copied(small * 2))[0].item(), "eager", -2 * value)
    print("replay", run(small)[0].item() + run(small * 2)[0].item(), "eager", 6 * value)
    print("replay", run(run(small))[0].item(), "eager", 4 * value)
print("the same tensor:", run(small) is run(small * 2))
