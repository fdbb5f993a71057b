import torch
class M(torch.nn.Module):
    def __init__(self):
        super().__init__(); self.l = torch.nn.Linear(4, 4)
    def forward(self, x):
        y = self.l(x)
        if y.sum() > 1e9:
            y = y * 2
        return y
m = M().cuda()
x = torch.randn(2, 4, device="cuda")
f = torch.cuda.make_graphed_callables(m, (x,))
