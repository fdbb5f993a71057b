"""Hooks come and go after the capture: some only count or look at shapes, one is there for eager steps alone, one was there for
the capture, so that the graph keeps what it copies."""

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)).cuda()
x = torch.ones(2, 4, device="cuda")
y = torch.zeros(2, 1, device="cuda")
hidden = torch.zeros(2, 8, device="cuda")
shapes = []


def step():
    y.copy_(model(x))


def keeps(module, args, output):
    hidden.copy_(output)


with torch.no_grad():
    kept = model[0].register_forward_hook(keeps)
    step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    kept.remove()
    model[0].register_forward_hook(lambda module, args, output: shapes.append(output.shape))
    model[1].register_forward_pre_hook(lambda module, args: shapes.append(args[0].shape))
    for _ in range(4):
        graph.replay()
        clipped = model[1].register_forward_hook(lambda module, args, output: output.clamp(max=0.1))
        step()
        clipped.remove()
    print(hidden.sum().item() != 0, y.shape)
