import torch
m = torch.nn.Linear(8, 8).cuda()
opt = torch.optim.Adam(m.parameters())
x = torch.randn(4, 8, device="cuda")
s = torch.cuda.Stream()
s.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(s):
    for _ in range(3):
        opt.zero_grad(); m(x).sum().backward(); opt.step()
torch.cuda.current_stream().wait_stream(s)
g = torch.cuda.CUDAGraph()
opt.zero_grad(set_to_none=True)
with torch.cuda.graph(g):
    m(x).sum().backward()
    opt.step()
print("OK")
