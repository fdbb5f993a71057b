import torch

values = torch.rand(1 << 16, device="cuda")
total = torch.zeros((), device="cuda")
statistics = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="relaxed"):
    values.mul_(0.99)
    with torch.cuda.stream(statistics):
        torch.sum(values, dim=0, out=total)  # cgsan: CG206
    values.add_(0.01)
for _ in range(5):
    graph.replay()
    torch.cuda.synchronize()
    print(total.item())
