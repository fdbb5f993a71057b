import torch

weight = torch.rand(512, device="cuda")
gradient = torch.rand(512, device="cuda")
rate = 0.1
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    weight.sub_(gradient * rate)
for epoch in range(8):
    gradient.normal_()
    graph.replay()
    rate *= 0.5  # cgsan: CG205
    print(epoch, rate, weight.norm().item())
