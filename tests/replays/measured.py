"""Several functions are called, captured and replayed by one helper; one of them is only called."""

import torch


def measured(function, captures):
    """What a function gives in a call, and in a replay."""
    called = [function().clone() for _ in range(2)]
    if not captures:
        return called[-1], called[-1]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = function()
    for _ in range(3):
        graph.replay()
    return called[-1], result.clone()


def main():
    x = torch.ones(16, device="cuda")
    sums = torch.zeros(3, device="cuda")
    functions = {
        "double": lambda size: x[:size] * 2,
        "sines": lambda size: x[:size].sin().cos(),
        "spread": lambda size: torch.linspace(0, 1, size, device="cuda") - x[:size],
        "lowest": lambda size: sums + x[:size].min(),
    }
    for size in (4, 8, 16):
        for name, function in functions.items():
            first, second = measured(lambda it=function, n=size: it(n), name != "spread")
            assert first.shape == second.shape, name
        print(torch.stack([x.sum(), sums.sum()]).tolist())


main()
