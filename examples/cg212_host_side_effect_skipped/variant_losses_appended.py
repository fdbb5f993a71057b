"""The training step appends its loss to a list; the replays append nothing."""

import torch

weight = torch.ones(4, device="cuda")
losses = []


def train():
    loss = (weight * weight).sum()
    losses.append(loss)  # cgsan: CG212
    weight.mul_(0.5)


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    train()
losses.clear()
for _ in range(3):
    graph.replay()
replayed = [len(losses)]
for _ in range(3):
    train()
print("replay", replayed, "eager", [len(losses)])
