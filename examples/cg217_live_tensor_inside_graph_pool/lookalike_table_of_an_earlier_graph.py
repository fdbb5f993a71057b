"""A table is made in the capture of one graph, and another one reads it after the first has run."""

import torch


def captured(work):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = work()
    return graph, y


x = torch.ones(8, device="cuda")
table_graph, table = captured(lambda: torch.arange(8.0, device="cuda") + 1)
graph, y = captured(lambda: x * table)
table_graph.replay()
graph.replay()
print(
    "replay", [y.sum().item()], "eager", [(x * (torch.arange(8.0, device="cuda") + 1)).sum().item()]
)
