import torch

values = torch.rand(1 << 16, device="cuda")
total = torch.zeros((), device="cuda")
statistics = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="relaxed"):
    origin = torch.cuda.current_stream()
    values.mul_(0.99)
    statistics.wait_stream(origin)
    with torch.cuda.stream(statistics):
        torch.sum(values, dim=0, out=total)
    origin.wait_stream(statistics)
    values.add_(0.01)
for _ in range(5):
    graph.replay()
    torch.cuda.synchronize()
    print(total.item())
