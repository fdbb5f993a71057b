import torch
x = torch.randn(4, 3, 32, 32, device="cuda")
conv = torch.nn.Conv2d(3, 8, 3).cuda()
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        conv(x)
torch.cuda.current_stream().wait_stream(side)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = conv(x)
g.replay()
torch.cuda.synchronize()
print("OK")
