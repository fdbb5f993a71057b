"""The gradient of each step is kept for a log; all of them are one memory, which the next step writes."""

import torch


class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(4, device="cuda"))

    def forward(self, x):
        return x * self.weight


def log_gradients(model, batches):
    log = []
    for batch in batches:
        model.zero_grad(set_to_none=True)
        model(batch).sum().backward()  # cgsan: CG218
        log.append(model.weight.grad)
    return [grad[0].item() for grad in log]


batches = [torch.full((4,), value, device="cuda") for value in (1.0, 2.0, 3.0)]
eager = log_gradients(Scale(), batches)
model = torch.cuda.make_graphed_callables(Scale(), (batches[0].clone(),))  # cgsan: label
print("replay", log_gradients(model, batches), "eager", eager)
