import torch


def embeddings(batches):
    static = torch.zeros(32, 256, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        unit = static / static.norm(dim=1, keepdim=True).clamp(min=1e-6)
    for batch in batches:
        static.copy_(batch)
        graph.replay()
        yield unit


total = 0.0
for unit in embeddings(torch.rand(10, 32, 256, device="cuda")):
    total += unit.sum().item()
print(total)
