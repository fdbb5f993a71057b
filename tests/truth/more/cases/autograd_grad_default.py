import torch
w = torch.randn(8, device="cuda", requires_grad=True)
feat = torch.sin(w)
g = torch.cuda.CUDAGraph()
def penalty():
    out = (feat * 3).sum()
    return torch.autograd.grad(out, w)[0]
with torch.cuda.graph(g):
    p = penalty()
