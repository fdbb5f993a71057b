import torch
m = torch.nn.Linear(8, 8).cuda()
x = torch.randn(4, 8, device="cuda")
for _ in range(3):
    m.zero_grad()
    m(x).sum().backward()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    m.zero_grad()
    m(x).sum().backward()
g.replay()
torch.cuda.synchronize()
print("OK")
