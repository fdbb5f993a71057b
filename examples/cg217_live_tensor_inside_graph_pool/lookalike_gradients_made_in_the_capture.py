"""A whole step is captured that makes its gradients; the moments of Adam and a momentum of SGD are from the warm-up."""

import torch

x = torch.ones(8, 4, device="cuda")
models = [torch.nn.Linear(4, 2, device="cuda") for _ in range(2)]
optimizers = [
    torch.optim.AdamW(models[0].parameters(), lr=0.1, capturable=True),
    torch.optim.SGD(models[1].parameters(), lr=0.1, momentum=0.9, nesterov=True),
]


def step():
    for model, optimizer in zip(models, optimizers, strict=True):
        optimizer.zero_grad(set_to_none=True)
        model(x).square().mean().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


stream = torch.cuda.Stream()
stream.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(stream):
    for _ in range(3):
        step()
torch.cuda.current_stream().wait_stream(stream)

for optimizer in optimizers:
    optimizer.zero_grad(set_to_none=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()
for number in range(5):
    x.fill_(float(number))
    graph.replay()
print([model.weight.sum().item() for model in models])
