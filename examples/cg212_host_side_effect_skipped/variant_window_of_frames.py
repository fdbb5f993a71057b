"""A model keeps the features of the last frames in a deque of a fixed length; replays keep those of the capture."""

from collections import deque

import torch


class Features:
    def __init__(self):
        self.frame = torch.zeros(4, device="cuda")
        self.last = deque((torch.zeros(4, device="cuda") for _ in range(3)), maxlen=3)

    def step(self):
        self.last.append(self.frame * 2)  # cgsan: CG212
        return torch.stack(list(self.last)).sum()


def run(replays):
    model = Features()
    model.step()
    if replays:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = model.step()
    results = []
    for number in range(1, 6):
        model.frame.fill_(float(number))
        if replays:
            graph.replay()
        else:
            y = model.step()
        results.append(y.item())
    return results


print("replay", run(True), "eager", run(False))
