"""The hook that clips is there when the graph is captured, which then clips at each replay."""

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)).cuda()
x = torch.ones(2, 4, device="cuda")
y = torch.zeros(2, 1, device="cuda")


def clip(module, args, output):
    return output.clamp(max=0.01)


def step():
    y.copy_(model(x))


model[1].register_forward_hook(clip)
with torch.no_grad():
    step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    for _ in range(4):
        graph.replay()
    print("replay", [round(y[0].item(), 3)], "eager", [round(model(x)[0].item(), 3)])
