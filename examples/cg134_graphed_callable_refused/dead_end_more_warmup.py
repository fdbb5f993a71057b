"""With eleven warm-up iterations the same module is refused: hooks are looked for before the first."""

import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).cuda()
model.register_forward_hook(lambda *_: None)
x = torch.ones(4, 8, device="cuda")
torch.cuda.make_graphed_callables(model, (x,), num_warmup_iters=11)
