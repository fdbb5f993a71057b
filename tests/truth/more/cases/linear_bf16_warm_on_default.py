import torch
m = torch.nn.Linear(64, 64).cuda().bfloat16()
x = torch.randn(8, 64, device="cuda", dtype=torch.bfloat16)
m(x)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = m(x)
g.replay()
torch.cuda.synchronize()
print("OK")
