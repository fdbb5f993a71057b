"""A loop takes the graph's output into a variable when it first has one, reads it in each turn, and once more behind the loop."""

import torch

torch.manual_seed(0)
policy = torch.nn.Linear(4, 3).cuda().requires_grad_(False)
batch = torch.zeros(2, 4, device="cuda")
policy(batch)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    output = policy(batch)


def run(batches):
    actions = None
    total = torch.zeros(2, 3, device="cuda")
    for it in batches:
        batch.copy_(it)
        graph.replay()
        if actions is None:
            actions = output
        total += actions
    return total, actions


batches = list(torch.randn(5, 2, 4).cuda())
total, last = run(batches)
assert torch.allclose(total, sum(policy(it) for it in batches), atol=1e-5)
assert torch.allclose(last, policy(batches[-1]))
