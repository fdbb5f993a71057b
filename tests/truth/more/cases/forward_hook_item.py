import torch
class Logger(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.ReLU()
        self.inner.register_forward_hook(self.log)
        self.seen = []
    def log(self, module, args, out):
        self.seen.append(out.max().item())
    def forward(self, x):
        return self.inner(x)
m = Logger().cuda()
x = torch.randn(8, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = m(x)
