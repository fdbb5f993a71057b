"""Autocast is turned off for the last steps, and the graph goes on in the precision of its capture."""

import torch


def build():
    layer = torch.nn.Linear(256, 256).cuda()
    x = torch.full((8, 256), 1.001, device="cuda")
    out = torch.zeros(8, 256, device="cuda")
    return layer, x, out


def step(layer, x, out, graph, is_first, half):
    with torch.autocast("cuda", torch.bfloat16, enabled=half, cache_enabled=False):
        if is_first:
            with torch.cuda.graph(graph):
                out.copy_(layer(x))  # cgsan: CG201
        graph.replay()  # cgsan: label


def main():
    torch.manual_seed(0)
    layer, x, out = build()
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad():
        with torch.autocast("cuda", torch.bfloat16, cache_enabled=False):
            layer(x)
        torch.cuda.synchronize()
        for number in range(4):
            step(layer, x, out, graph, number == 0, half=number < 2)
        torch.cuda.synchronize()
        print("replay", out[0, :2].tolist(), "eager", layer(x)[0, :2].tolist())


main()
