"""A probe looks at a layer before and after an update, and has the memory of the second replay under both names."""

import torch

torch.manual_seed(0)
weight = torch.randn(4, 4, device="cuda")
inputs = torch.randn(2, 4, device="cuda")


def layer():
    return torch.tanh(inputs @ weight)


layer()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    output = layer()


def measure(update):
    graph.replay()
    before = output
    update()
    graph.replay()  # cgsan: CG211
    after = output
    return torch.cosine_similarity(before, after).tolist()


def eagerly(update):
    before = layer()
    update()
    return torch.cosine_similarity(before, layer()).tolist()


start = weight.clone()
replayed = measure(lambda: weight.mul_(-0.5))
weight.copy_(start)
print("replay", replayed, "eager", eagerly(lambda: weight.mul_(-0.5)))
