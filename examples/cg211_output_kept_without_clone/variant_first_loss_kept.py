"""A training loop keeps its first loss to compare the last one with it, and both are one memory."""

import torch

weight = torch.ones(4, device="cuda")


def train():
    loss = (weight * weight).sum()
    weight.mul_(0.5)
    return loss


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = train()  # cgsan: label

history = {}
for number in range(3):
    graph.replay()  # cgsan: CG211
    if number == 0:
        history["first"] = loss
history["last"] = loss
replayed = [history["first"].item(), history["last"].item()]

weight.fill_(1)
losses = [train() for _ in range(3)]
print("replay", replayed, "eager", [losses[0].item(), losses[-1].item()])
