import torch
g = torch.cuda.CUDAGraph()
torch.randint(1024, (1,), generator=gen, device="cuda").item()
with torch.cuda.graph(g):
    gen = torch.Generator(device="cuda"); gen.manual_seed(1234)
    x = torch.randint(1024, (1,), generator=gen, device="cuda")
