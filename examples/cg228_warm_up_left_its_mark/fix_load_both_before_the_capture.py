"""A checkpoint of the model and of the optimizer is loaded between the warm-up and the capture."""

import copy

import torch

torch.manual_seed(0)
batches = [torch.randn(8, 4, device="cuda") for _ in range(3)]
start = torch.nn.Linear(4, 1).cuda().state_dict()


def training():
    model = torch.nn.Linear(4, 1).cuda()
    model.load_state_dict(start)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1, capturable=True)

    def step(x):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()

    return model, optimizer, step


def captured(model, optimizer, step, checkpoint):
    x = torch.ones(8, 4, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step(x)
    torch.cuda.current_stream().wait_stream(side)
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step(x)

    def replay(batch):
        x.copy_(batch)
        graph.replay()

    return replay


def trained(step, model):
    for batch in batches:
        step(batch)
    return round(model.bias.item(), 4)


model, optimizer, step = training()
step(batches[0])
checkpoint = copy.deepcopy({"model": model.state_dict(), "optimizer": optimizer.state_dict()})
eager = trained(step, model)
model, optimizer, step = training()
replayed = trained(captured(model, optimizer, step, checkpoint), model)
print("replay", [replayed], "eager", [eager])
assert replayed == eager, (replayed, eager)
