import torch
m = torch.nn.Linear(8, 8).cuda()
x = torch.randn(4, 8, device="cuda")
def step():
    m.zero_grad(set_to_none=True)
    m(x).sum().backward()
    torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0, error_if_nonfinite=True)
s = torch.cuda.Stream()
s.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(s):
    for _ in range(2): m.zero_grad(); m(x).sum().backward()
torch.cuda.current_stream().wait_stream(s)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    step()
