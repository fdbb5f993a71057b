"""The rate is a number only while it warms up; random seeds differ at each call and follow the replays."""

import torch

weight = torch.zeros(4, device="cuda")
grad = torch.ones(4, device="cuda")


def step(rate):
    noise = torch.rand_like(grad)
    weight.sub_(grad * rate)
    return noise


for number in range(1, 4):
    step(0.25 * number)
rate = torch.ones((), device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    noise = step(rate)

replayed, eager = [], []
for run, results in ((graph.replay, replayed), (lambda: step(rate), eager)):
    weight.zero_()
    for value in (1.0, 0.5, 0.25):
        rate.fill_(value)
        run()
        results.append(weight[0].item())
print("replay", replayed, "eager", eager)
