"""A step writes the next block of a ring and goes on to the one behind it; each replay writes the block of the capture."""

from collections import deque

import torch


def run(replays):
    ring = deque(torch.zeros(8, device="cuda") for _ in range(3))
    value = torch.zeros(8, device="cuda")

    def step():
        ring[0].copy_(value)  # cgsan: CG203
        ring.rotate(-1)
        return torch.stack(list(ring)).sum(0)

    step()
    if replays:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = step()
    results = []
    for number in range(1, 6):
        value.fill_(float(number))
        if replays:
            graph.replay()  # cgsan: label
        else:
            y = step()
        results.append(y[0].item())
    return results


replayed = run(True)
eager = run(False)
print("replay", replayed, "eager", eager)
