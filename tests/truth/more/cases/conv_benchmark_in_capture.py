import torch
torch.backends.cudnn.benchmark = True
x = torch.randn(4, 3, 32, 32, device="cuda")
y = torch.randn(4, 3, 48, 48, device="cuda")
conv = torch.nn.Conv2d(3, 8, 3).cuda()
conv(x)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    z = conv(y)
g.replay()
print("OK")
