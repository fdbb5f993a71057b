"""What a hook would have looked at is an output of the graphed module, and is handled after the call."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(8, 8)
        self.second = torch.nn.Linear(8, 8)

    def forward(self, x):
        hidden = self.first(x)
        return self.second(hidden), hidden


model = Model().cuda()
x = torch.ones(4, 8, device="cuda")
torch.cuda.make_graphed_callables(model, (x,))
seen = []
for _ in range(3):
    output, hidden = model(x)
    seen.append(hidden.detach().mean())
assert len(seen) == 3
assert torch.allclose(hidden, model.first(x))
