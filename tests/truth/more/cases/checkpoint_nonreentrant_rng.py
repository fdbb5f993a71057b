import torch, torch.utils.checkpoint as cp
m = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.1)).cuda()
x = torch.randn(4, 8, device="cuda", requires_grad=True)
s = torch.cuda.Stream()
s.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(s):
    cp.checkpoint(m, x, use_reentrant=False).sum().backward()
torch.cuda.current_stream().wait_stream(s)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    cp.checkpoint(m, x, use_reentrant=False).sum().backward()
print("OK")
