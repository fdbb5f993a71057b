"""The graphed module is called with an argument by name, as the module could be before."""

import torch


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = torch.nn.Linear(8, 24)

    def forward(self, x, bias):
        query, key, value = self.qkv(x).chunk(3, dim=-1)
        return torch.softmax(query @ key.mT + bias, dim=-1) @ value


x = torch.ones(4, 8, device="cuda")
bias = torch.zeros(4, 4, device="cuda")
attention = Attention().cuda()
attention(x, bias=bias)
attention = torch.cuda.make_graphed_callables(attention, (x, bias))
attention(x, bias=bias).sum().backward()  # cgsan: CG134
