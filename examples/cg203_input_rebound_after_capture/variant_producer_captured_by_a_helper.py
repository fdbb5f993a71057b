"""A helper captures the backbone again for other weights; the graph of the head goes on with the output of the first capture."""

import torch

torch.manual_seed(0)
batch = torch.zeros(3, 4, device="cuda")
head_weight = torch.randn(8, 2, device="cuda")


def captured(compute):
    compute()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        output = compute()
    return graph, output


weight = torch.randn(4, 8, device="cuda")
backbone, features = captured(lambda: torch.relu(batch @ weight))  # cgsan: label
head, scores = captured(lambda: features @ head_weight)  # cgsan: label
backbone.replay()
head.replay()

weight = torch.randn(4, 8, device="cuda")
backbone, features = captured(lambda: torch.relu(batch @ weight))
replayed, eager = [], []
for it in torch.randn(3, 3, 4, device="cuda"):
    batch.copy_(it)
    backbone.replay()  # cgsan: label
    head.replay()  # cgsan: CG203
    replayed.append(scores.sum().item())
    eager.append((torch.relu(it @ weight) @ head_weight).sum().item())
print("replay", replayed, "eager", eager)
