import torch


def build(width):
    mask = torch.ones(width, width, device="cuda").tril()
    attention = torch.rand(width, width, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        masked = attention * mask
    return graph, masked  # cgsan: CG209


graph, masked = build(256)
other = [torch.rand(256, 256, device="cuda") for _ in range(4)]
graph.replay()
print(masked.sum().item(), len(other))
