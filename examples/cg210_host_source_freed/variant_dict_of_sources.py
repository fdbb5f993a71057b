"""The host side of an embedding is dropped from a dictionary after the capture, which copies from it."""

import torch


def capture(host):
    device = torch.zeros(4, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for rows in host.values():
            device.add_(rows.to("cuda", non_blocking=True))  # cgsan: label
    return graph, device


host = {name: torch.full((4,), 1.0, pin_memory=True) for name in "ab"}
graph, device = capture(host)
host.clear()
torch.cuda.synchronize()
staging = [torch.full((4,), 50.0, pin_memory=True) for _ in range(2)]
graph.replay()  # cgsan: CG210
print("replay", [device[0].item()], "eager", [2.0])
