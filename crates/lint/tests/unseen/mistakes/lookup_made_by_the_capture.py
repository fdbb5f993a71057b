import torch

tables = {}
angles = torch.rand(2048, device="cuda")


def table(size):
    if size not in tables:
        tables[size] = torch.cos(torch.arange(size, device="cuda"))  # cgsan: CG217
    return tables[size]


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    turned = angles * table(2048)
tables[2048].mul_(0.5)
graph.replay()
print(turned.sum().item(), table(2048).sum().item())
