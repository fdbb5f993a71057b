"""A helper captures a closure over a batch of its own, which is gone when the helper returns; the number of the backend changes."""

import torch


class Backend:
    scale = 1.0


class Batch:
    def __init__(self, ids):
        self.ids = ids


backend = Backend()


def capture(ids):
    batch = Batch(ids)

    def run_once():
        return batch.ids * backend.scale  # cgsan: CG205

    run_once()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = run_once()
    return graph, out


ids = torch.ones(4, device="cuda")
graph, out = capture(ids)
for value in (1.0, 2.0, 3.0):
    backend.scale = value
    graph.replay()
    print("replay", out[0].item(), "eager", (ids * backend.scale)[0].item())
