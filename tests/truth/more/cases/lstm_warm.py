import torch
m = torch.nn.LSTM(8, 16).cuda()
x = torch.randn(5, 2, 8, device="cuda")
s = torch.cuda.Stream()
s.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(s), torch.no_grad():
    for _ in range(2): m(x)
torch.cuda.current_stream().wait_stream(s)
g = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(g):
    y, _ = m(x)
g.replay()
torch.cuda.synchronize()
print("OK")
