"""A checkpoint of the optimizer is loaded after the capture of its step, which goes on with the old moments."""

import copy

import torch


def train(captures):
    weight = torch.nn.Parameter(torch.ones(4, device="cuda"))
    optimizer = torch.optim.SGD([weight], lr=0.1, momentum=0.5)
    x = torch.ones(4, device="cuda")

    def step():
        optimizer.zero_grad()
        (weight * x).sum().backward()
        optimizer.step()  # cgsan: CG203

    step()
    checkpoint = copy.deepcopy(optimizer.state_dict())
    step()
    run = step
    if captures:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):  # cgsan: label
            step()
        run = graph.replay
    optimizer.load_state_dict(checkpoint)  # cgsan: label
    for _ in range(3):
        run()  # cgsan: label
    return [round(weight[0].item(), 4)]


print("replay", train(True), "eager", train(False))
