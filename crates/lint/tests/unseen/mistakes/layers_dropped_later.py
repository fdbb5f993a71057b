import torch

gates = [torch.rand(64, device="cuda") for _ in range(6)]
hidden = torch.ones(64, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    mixed = hidden
    for gate in gates:  # cgsan: CG201
        mixed = mixed * gate
for round in range(4):
    hidden.fill_(float(round + 1))
    graph.replay()
    print(len(gates), mixed.sum().item())
    gates.pop()
