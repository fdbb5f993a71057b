import torch

field = torch.rand(256, 256, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    smooth = (field + field.roll(1, 0) + field.roll(1, 1)) / 3
graph.replay()
while True:
    before = smooth  # cgsan: CG211
    field.copy_(smooth)
    graph.replay()
    if (smooth - before).abs().max().item() < 1e-4:
        break
