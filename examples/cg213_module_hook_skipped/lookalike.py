"""The graphed model's own hook runs beside each replay, and the hooks of layers are on a copy without a graph."""

import copy

import torch

model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 4)).cuda()
probe = copy.deepcopy(model)
x = torch.ones(2, 4, device="cuda")
model = torch.cuda.make_graphed_callables(model, (x,))
calls, activations = [], []
model.register_forward_hook(lambda module, args, output: calls.append("model"))
for layer in probe:
    layer.register_forward_hook(lambda module, args, output: activations.append(output))

for _ in range(3):
    model(x)
probe(x)
print("replay", [len(calls), len(activations)], "eager", [3, 3])
