"""A backward hook on each layer should log gradients; the graphed backward calls none of them."""

import torch


def build():
    layers = [torch.nn.Linear(4, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)]
    return torch.nn.Sequential(*layers).cuda(), []


def log_gradients(model, log):
    for layer in model:
        layer.register_full_backward_hook(lambda *_: log.append("grad"))  # cgsan: label


x = torch.ones(2, 4, device="cuda", requires_grad=True)
model, log = build()
reference, reference_log = build()
model = torch.cuda.make_graphed_callables(model, (x,))
log_gradients(model, log)
log_gradients(reference, reference_log)
for _ in range(3):
    model(x).sum().backward()  # cgsan: CG213
    model.zero_grad()
    reference(x).sum().backward()
    reference.zero_grad()
    x.grad = None
print("replay", [len(log)], "eager", [len(reference_log)])
