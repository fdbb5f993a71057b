import torch
x = torch.ones(8, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = x + 1
    torch.cuda.mem_get_info()
    torch.cuda.memory_stats()
print("OK")
