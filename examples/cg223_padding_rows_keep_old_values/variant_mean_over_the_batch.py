"""A reward is averaged over a batch of any size, of which the graph always takes the largest."""

import torch

rewards = torch.zeros(8, 5, device="cuda")
average = torch.zeros((), device="cuda")


def score(rewards):
    return (rewards.clamp(min=0) * 2).mean()


score(rewards)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    average.copy_(score(rewards))

replayed, eager = [], []
for count in (8, 3):
    batch = torch.full((count, 5), float(count), device="cuda")
    rewards[:count].copy_(batch)  # cgsan: label
    graph.replay()  # cgsan: CG223
    replayed.append(average.item())
    eager.append(score(batch).item())
print("replay", replayed, "eager", eager)
