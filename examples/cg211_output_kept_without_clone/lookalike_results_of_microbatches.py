"""The results of a step are kept by the kind of step, as a list with a dictionary for each microbatch; a history holds copies."""

import torch


class Runner:
    def __init__(self):
        self.results = {}
        self.x = torch.zeros(2, 4, device="cuda")
        self.graph = None

    def compute(self):
        return [{"loss": row.sum()} for row in self.x]

    def capture(self, kind):
        self.compute()
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.results[kind] = self.compute()

    def __call__(self, kind, number):
        if self.graph is None:
            self.capture(kind)
        self.x.fill_(number)
        self.graph.replay()
        return [{"loss": it["loss"].clone()} for it in self.results[kind]]


def train(runner, steps):
    history = []
    for number in range(steps):
        history.append(runner("training", number))
    return [sum(it["loss"] for it in result).item() for result in history]


print("replay", train(Runner(), 6), "eager", [8.0 * number for number in range(6)])
