"""A closure counts its calls and acts on every third one; the replays neither count nor act."""

import torch


def make_step(x, reset_every):
    calls = 0

    def step():
        nonlocal calls
        calls += 1  # cgsan: CG212
        return x.mul_(2)

    def due():
        return calls % reset_every == 0

    return step, due


def run(step, due):
    x.fill_(1)
    results = []
    for _ in range(6):
        step()
        results.append(x[0].item())
        if due():
            x.fill_(1)
    return results


x = torch.ones(4, device="cuda")
step, due = make_step(x, 3)
eager = run(step, due)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    step()
print("replay", run(graph.replay, due), "eager", eager)
