"""A hook on a layer of a graphed model collects activations, and the replays never call it."""

import torch

model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 4)).cuda()
x = torch.ones(2, 4, device="cuda")
model = torch.cuda.make_graphed_callables(model, (x,))
activations = []
model[1].register_forward_hook(
    lambda module, args, output: activations.append(output.detach().clone())  # cgsan: label
)

for _ in range(3):
    model(x)  # cgsan: CG213
replayed = [len(activations)]
activations.clear()
for _ in range(3):
    model[2](model[1](model[0](x)))
print("replay", replayed, "eager", [len(activations)])
