"""A frozen buffer, an unused parameter that is frozen and a hook of the state dict: none of them is refused."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)
        self.spare = torch.nn.Linear(8, 8).requires_grad_(False)
        self.register_buffer("scale", torch.full((8,), 2.0))

    def forward(self, x):
        return self.body(x) * self.scale


model = Model().cuda()
saved = []
model.register_state_dict_pre_hook(lambda *_: saved.append("state dict"))
x = torch.ones(4, 8, device="cuda")
torch.cuda.make_graphed_callables(model, (x,))
model(x).sum().backward()
assert model.body.weight.grad is not None
assert model.spare.weight.grad is None
assert set(model.state_dict()) >= {"scale", "body.weight"}
assert saved == ["state dict"]
