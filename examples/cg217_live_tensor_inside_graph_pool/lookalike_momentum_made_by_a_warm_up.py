"""A step before the capture makes the momentum of SGD, which the captured step changes in place."""

import torch


def training(foreach):
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 2, bias=False, device="cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, foreach=foreach)

    def step():
        optimizer.zero_grad(set_to_none=True)
        model(x).square().sum().backward()
        optimizer.step()

    return model, step


x = torch.full((8, 4), 0.25, device="cuda")
stream = torch.cuda.Stream()
replayed, eager = [], []
for foreach in (True, False):
    model, step = training(foreach)
    reference, eager_step = training(foreach)
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        step()
    torch.cuda.current_stream().wait_stream(stream)
    eager_step()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    for _ in range(4):
        graph.replay()
        eager_step()
    replayed.append(model.weight.sum().item())
    eager.append(reference.weight.sum().item())
print("replay", replayed, "eager", eager)
