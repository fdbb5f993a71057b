"""The layers around the one with the hook are graphed, and that one is called in Python."""

import torch

x = torch.ones(2, 4, device="cuda")
hidden = torch.ones(2, 4, device="cuda", requires_grad=True)
first, second = torch.nn.Linear(4, 4).cuda(), torch.nn.Linear(4, 4).cuda()
first, second = torch.cuda.make_graphed_callables((first, second), ((x,), (hidden,)))
model = torch.nn.Sequential(first, torch.nn.ReLU(), second)
activations = []
model[1].register_forward_hook(
    lambda module, args, output: activations.append(output.detach().clone())
)

for _ in range(3):
    model(x)
replayed = [len(activations)]
activations.clear()
for _ in range(3):
    model[2](model[1](model[0](x)))
print("replay", replayed, "eager", [len(activations)])
