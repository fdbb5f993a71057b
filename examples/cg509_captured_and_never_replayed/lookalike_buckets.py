"""Each batch size has a graph; only one size comes, and each of its calls is a replay."""

import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8)).cuda()
pool = torch.cuda.graph_pool_handle()
static = torch.zeros(4, 8, device="cuda")


def capture(size):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        output = model(static[:size])
    return graph, output


def run(batch):
    graph, output = graphs[len(batch)]
    static[: len(batch)].copy_(batch)
    graph.replay()
    return output.clone()


with torch.no_grad():
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        model(static)
    torch.cuda.current_stream().wait_stream(side)
    graphs = {size: capture(size) for size in (4, 2, 1)}
    for value in range(4):
        y = run(torch.full((2, 8), float(value), device="cuda"))
print("captured sizes", list(graphs), "replayed size", len(y))
