"""The ring is one tensor, and where it is written is a tensor that the graph moves on."""

import torch


def run(replays):
    ring = torch.zeros(3, 8, device="cuda")
    place = torch.zeros(1, dtype=torch.long, device="cuda")
    value = torch.zeros(1, 8, device="cuda")

    def step():
        ring.index_copy_(0, place, value)
        place.add_(1).remainder_(3)
        return ring.sum(0)

    step()
    if replays:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = step()
    results = []
    for number in range(1, 6):
        value.fill_(float(number))
        if replays:
            graph.replay()
        else:
            y = step()
        results.append(y[0].item())
    return results


replayed = run(True)
eager = run(False)
print("replay", replayed, "eager", eager)
