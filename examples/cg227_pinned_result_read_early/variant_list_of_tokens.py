"""A decoder's tokens lie in pinned memory, and the host makes a list of them right after it has queued the step."""

import torch

scores = torch.zeros(2, 8, device="cuda")
tokens = torch.zeros(2, dtype=torch.int64, pin_memory=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.cuda._sleep(20_000_000)  # stands for a decoder
    tokens.copy_(scores.argmax(dim=1), non_blocking=True)  # cgsan: label

replayed, eager = [], []
for step in range(1, 5):
    scores.zero_()
    scores[:, step] = 1
    graph.replay()  # cgsan: label
    replayed.append(tokens.tolist())  # cgsan: CG227
    eager.append(scores.argmax(dim=1).tolist())
print("replay", replayed, "eager", eager)
