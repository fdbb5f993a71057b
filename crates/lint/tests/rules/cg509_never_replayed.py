# --- fails
import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).cuda()
x = torch.ones(4, 8, device="cuda")
model = torch.cuda.make_graphed_callables(model, (x,))
model.eval()
with torch.no_grad():
    for _ in range(4):
        y = model(x)  # cgsan: CG509
# --- fixed
import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).cuda()
x = torch.ones(4, 8, device="cuda")
model.eval()
model = torch.cuda.make_graphed_callables(model, (x,))
with torch.no_grad():
    for _ in range(4):
        y = model(x)
# --- lookalike
import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(4, 8, device="cuda")
model = torch.cuda.make_graphed_callables(model, (x,))


@torch.no_grad()
def evaluate():
    model.eval()
    y = model(x)
    model.train()
    return y


evaluate()
for _ in range(4):
    model(x).sum().backward()
    optimizer.step()
evaluate()
