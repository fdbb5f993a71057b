import torch

side = torch.cuda.Stream()
x = torch.rand(1 << 22, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    origin = torch.cuda.current_stream()
    for _ in range(8):
        part = x * 2
        side.wait_stream(origin)
        with torch.cuda.stream(side):
            x.add_(part)
        part.record_stream(side)  # cgsan: CG306
        origin.wait_stream(side)
for _ in range(3):
    graph.replay()
print(x.sum().item())
