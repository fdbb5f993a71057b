"""A function that replays a graph holds the tensors it names, and not those that the graph reads."""

import torch


def build(x):
    scale = torch.full((4,), 2.0, device="cuda")
    shift = torch.full((4,), 1.0, device="cuda")  # cgsan: label
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * scale + shift

    def run():
        graph.replay()  # cgsan: CG209
        return y, scale

    return run


x = torch.full((4,), 3.0, device="cuda")
run = build(x)
others = [torch.full((4,), 50.0, device="cuda") for _ in range(4)]
y, scale = run()
replayed = y.tolist()
print("replay", replayed, "eager", (x * scale + 1.0).tolist())
