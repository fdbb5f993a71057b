import torch
m = torch.nn.LSTM(8, 16).cuda()
x = torch.randn(5, 2, 8, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y, _ = m(x)
print("OK")
