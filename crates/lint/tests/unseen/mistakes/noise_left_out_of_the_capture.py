import torch

signal = torch.rand(4096, device="cuda")
noise = torch.empty_like(signal)


def perturbed():
    if torch.cuda.is_current_stream_capturing():  # cgsan: CG202
        return signal * 0.9
    noise.normal_()
    return signal * 0.9 + noise * 0.1


perturbed()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    result = perturbed()
for _ in range(10):
    graph.replay()
print(result.std().item())
