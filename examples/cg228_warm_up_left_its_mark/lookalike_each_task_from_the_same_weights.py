"""Each task of meta-learning starts from the same weights and keeps the momentum: the first one eagerly, the others by replays."""

import torch

torch.manual_seed(0)
tasks = [torch.randn(8, 4, device="cuda") for _ in range(3)]


def run(tasks, graphed):
    torch.manual_seed(1)
    model = torch.nn.Linear(4, 1).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x = torch.zeros(8, 4, device="cuda")
    weights = [parameter.detach().clone() for parameter in model.parameters()]

    def step():
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()

    graph = None
    for task in tasks:
        x.copy_(task)
        for _ in range(2):
            graph.replay() if graph else step()
        with torch.no_grad():
            for parameter, weight in zip(model.parameters(), weights, strict=True):
                change = parameter - weight
                parameter.copy_(weight)
        if graphed and graph is None:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                step()
    return [round(change.item(), 4)]


print("replay", run(tasks, graphed=True), "eager", run(tasks, graphed=False))
