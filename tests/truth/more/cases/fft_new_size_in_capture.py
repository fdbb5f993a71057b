import torch
x = torch.randn(128, device="cuda")
big = torch.randn(1 << 20, device="cuda")
torch.fft.rfft(x)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = torch.fft.fft(big)
g.replay()
print("OK")
