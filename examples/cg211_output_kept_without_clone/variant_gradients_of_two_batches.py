"""The gradients of two batches are compared, and `.grad` is one tensor that each replay writes."""

import torch

model = torch.nn.Linear(8, 1, bias=False).cuda()
torch.nn.init.ones_(model.weight)
x = torch.ones(1, 8, device="cuda")
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        model(x).square().sum().backward()
        model.zero_grad(set_to_none=True)
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=side):
    model(x).square().sum().backward()


def gradient(value):
    x.fill_(value)
    graph.replay()
    return model.weight.grad


one, two = gradient(1.0), gradient(3.0)
distance = torch.nn.functional.l1_loss(one, two)  # cgsan: CG211
print(f"{distance.item()} apart; eagerly 128.0")
