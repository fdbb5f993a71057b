import torch
x = torch.randn(4, 3, 32, 32, device="cuda")
conv = torch.nn.Conv2d(3, 8, 3).cuda()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = conv(x)
g.replay()
print("OK")
