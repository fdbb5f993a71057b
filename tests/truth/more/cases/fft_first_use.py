import torch
x = torch.randn(128, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = torch.fft.rfft(x)
g.replay()
print("OK")
