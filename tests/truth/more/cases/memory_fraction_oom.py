import torch

torch.cuda.set_per_process_memory_fraction(0.01)
x = torch.ones(64, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    parts = [torch.empty(256 << 20, dtype=torch.uint8, device="cuda") for _ in range(8)]
