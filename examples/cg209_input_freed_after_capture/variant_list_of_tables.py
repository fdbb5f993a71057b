"""A list of tables is cleared to save memory, and the graph still adds them."""

import torch


def capture(x, tables):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for table in tables:
            x = x + table
    return graph, x


x = torch.zeros(4, device="cuda")
tables = [torch.full((4,), float(value), device="cuda") for value in (1, 2)]  # cgsan: label
eager = [(x + tables[0] + tables[1])[0].item()]
graph, y = capture(x, tables)
tables.clear()
requests = [torch.full((4,), 50.0, device="cuda") for _ in range(4)]
graph.replay()  # cgsan: CG209
print("replay", [y[0].item()], "eager", eager)
