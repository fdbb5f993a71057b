"""Training replays the module's graphs, and an evaluation now and then runs eagerly."""

import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.ones(4, 8, device="cuda")
model = torch.cuda.make_graphed_callables(model, (x,))


@torch.no_grad()
def evaluate():
    model.eval()
    loss = sum(model(x).square().mean() for _ in range(2)) / 2
    model.train()
    return loss.item()


losses = [evaluate()]
for step in range(1, 7):
    model(x).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    if step % 3 == 0:
        losses.append(evaluate())
print("the loss falls:", losses == sorted(losses, reverse=True))
