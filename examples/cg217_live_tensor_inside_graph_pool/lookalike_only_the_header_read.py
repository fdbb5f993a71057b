"""The graph writes the first row of a buffer that was made in the capture; the program spoils all of it, and reads that row."""

import torch


class Monitor:
    def __init__(self):
        self.rows = None

    def report(self, peaks):
        if self.rows is None:
            self.rows = torch.empty(4, 64, device="cuda")
        self.rows[0].copy_(peaks)


def step(monitor):
    peaks = (x - 1).amax(0)
    monitor.report(peaks)


def run(monitor, once):
    results = []
    for value in (3.0, 4.0):
        x.fill_(value)
        monitor.rows.fill_(-1)
        once()
        results.append(monitor.rows[0, :8].sum().item())
    return results


x = torch.zeros(4, 64, device="cuda")
monitor, reference = Monitor(), Monitor()
step(reference)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step(monitor)

eager = run(reference, lambda: step(reference))
replayed = run(monitor, graph.replay)
print("replay", replayed, "eager", eager)
