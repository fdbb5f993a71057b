"""A script scores two answers with one graph, and compares what both names lead to."""

import torch

torch.manual_seed(0)
weight = torch.randn(4, device="cuda")
answer = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    reward = (answer * weight).sum()


def score(tokens):
    answer.copy_(tokens)
    graph.replay()  # cgsan: CG211
    return reward


answers = torch.randn(2, 4, device="cuda")
chosen = score(answers[0])
rejected = score(answers[1])
replayed = torch.stack([chosen, rejected]).tolist()
print("replay", replayed, "eager", (answers * weight).sum(1).tolist())
