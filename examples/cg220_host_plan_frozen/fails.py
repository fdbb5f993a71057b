"""Each step plans on the host how tokens belong to requests; the graph holds the plan of its capture."""

import torch


class Pooling:
    def plan(self, lengths):
        self.splits = list(lengths)

    def run(self, tokens):
        parts = tokens.split(self.splits)  # cgsan: CG220
        return torch.stack([part.sum() for part in parts])


tokens = torch.arange(8.0, device="cuda")
pooling = Pooling()
for lengths in ([4, 4], [2, 6]):
    pooling.plan(lengths)
    pooling.run(tokens)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = pooling.run(tokens)

replayed, eager = [], []
for lengths in ([2, 6], [4, 4], [7, 1]):
    pooling.plan(lengths)
    graph.replay()
    replayed.append(y.tolist())
    eager.append(pooling.run(tokens).tolist())
print("replay", replayed, "eager", eager)
