"""Gradients and losses of compiled functions that are used within their step, or copied, also where they are released late."""

import torch

torch.manual_seed(0)
modules = [
    torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.SiLU(), torch.nn.Linear(16, 1)).cuda()
    for _ in range(2)
]
modules[1].load_state_dict(modules[0].state_dict())
forwards = modules[0], torch.compile(modules[1], mode="reduce-overhead")
batches = torch.randn(6, 4, 8, device="cuda")
found = []
for module, forward in zip(modules, forwards, strict=True):
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1, momentum=0.9)
    norms, losses, kept = [], [], []
    for batch in batches:
        out = forward(batch)
        shown = out.detach()
        loss = out.square().mean()
        optimizer.zero_grad()  # The gradients of the last step were still there when this one began.
        loss.backward()
        norms.append(torch.nn.utils.clip_grad_norm_(module.parameters(), 1.0))
        optimizer.step()
        kept.append(module[0].weight.grad.clone())
        losses.append(loss.detach() + 0 * shown.sum())
    found.append(torch.stack([*norms, *losses, *(it.sum() for it in kept)]).cpu())
torch.testing.assert_close(*found)
