"""The last frames lie in static tensors, which the captured code moves on; a list has what it made anew at each call."""

import torch


class Features:
    def __init__(self):
        self.frame = torch.zeros(4, device="cuda")
        self.last = [torch.zeros(4, device="cuda") for _ in range(3)]
        self.made = []

    def step(self):
        for older, newer in zip(self.last[:-1], self.last[1:], strict=True):
            older.copy_(newer)
        self.last[-1].copy_(self.frame * 2)
        self.made[:] = [it + 1 for it in self.last]
        return torch.stack(self.last).sum()


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
        results.append((y.item(), model.made[-1][0].item()))
    return results


print("replay", run(True), "eager", run(False))
