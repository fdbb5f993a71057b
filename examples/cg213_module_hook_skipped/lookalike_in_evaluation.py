"""The graphed model's own hook runs beside each replay, and a layer's hook in evaluation, which has no graph."""

import torch

model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 4)).cuda()
x = torch.ones(2, 4, device="cuda")
model = torch.cuda.make_graphed_callables(model, (x,))
outer, inner = [], []
model.register_forward_hook(lambda module, args, output: outer.append("model"))
for _ in range(3):
    model(x)

model.eval()
handle = model[1].register_forward_hook(lambda module, args, output: inner.append("layer"))
for _ in range(3):
    model(x)
handle.remove()
model.train()
model(x)
print("replay", [len(outer), len(inner)], "eager", [7, 3])
