"""The plan is written to a tensor on the device, which the graph reads at each replay."""

import torch


class Pooling:
    def __init__(self, requests, tokens):
        self.sums = torch.zeros(requests, device="cuda")
        self.owner = torch.zeros(tokens, dtype=torch.int64, device="cuda")

    def plan(self, lengths):
        requests = torch.arange(len(lengths))
        self.owner.copy_(requests.repeat_interleave(torch.tensor(lengths)))

    def run(self, tokens):
        return self.sums.zero_().index_add_(0, self.owner, tokens)


tokens = torch.arange(8.0, device="cuda")
pooling = Pooling(2, 8)
for lengths in ([4, 4], [2, 6]):
    pooling.plan(lengths)
    pooling.run(tokens)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = pooling.run(tokens)

replayed, eager = [], []
for lengths in ([2, 6], [4, 4], [7, 1]):
    pooling.plan(lengths)
    graph.replay()
    replayed.append(y.tolist())
    eager.append([part.sum().item() for part in tokens.split(lengths)])
print("replay", replayed, "eager", eager)
