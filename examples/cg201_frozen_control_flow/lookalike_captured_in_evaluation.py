"""A graph for validation is captured in evaluation and without gradients, and replayed while the model trains and autocast is on."""

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.Dropout(0.5)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.ones(4, 16, device="cuda")
y = torch.zeros(4, 64, device="cuda")

model.eval()
torch.backends.cuda.matmul.allow_tf32 = True
with torch.no_grad():
    model(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y.copy_(model(x))
torch.backends.cuda.matmul.allow_tf32 = False
model.train()
for _ in range(5):
    with torch.autocast("cuda", torch.bfloat16):
        loss = model(x).float().square().mean()
        graph.replay()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print(y.shape)
