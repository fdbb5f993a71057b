"""Outputs of compiled functions that are copied, used before the next call, or part of one step with what follows. Kernels
are compiled in processes of a pool, as where nothing else is asked for."""

import torch
import torch._inductor.config

torch._inductor.config.compile_threads = 2
torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1, bias=False)
).cuda()
reference = torch.nn.Sequential(
    torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1, bias=False)
).cuda()
reference.load_state_dict(model.state_dict())


@torch.compile(mode="reduce-overhead")
def shift(x):
    return x * 2 + 1


with torch.inference_mode():
    kept, last = [], None
    for value in range(5):
        x = torch.full((8,), float(value), device="cuda")
        y = shift(x)
        kept.append(y.clone())
        last = y.sum().item()
    assert last == 72.0, last
    torch.testing.assert_close(torch.stack(kept)[:, 0].cpu(), torch.tensor([1.0, 3, 5, 7, 9]))

compiled = torch.compile(model, mode="reduce-overhead")
losses = []
for module in (reference, compiled):
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    of_module = []
    for step in range(5):
        batch = torch.full((4, 8), step / 8, device="cuda")
        optimizer.zero_grad()
        loss = module(batch).square().mean()
        loss.backward()
        optimizer.step()
        of_module.append(loss.detach())
    losses.append(torch.stack(of_module).cpu())
torch.testing.assert_close(*losses)
