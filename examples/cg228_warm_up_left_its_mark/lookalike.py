"""The warm-up is a part of the training, and nothing is put back."""

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


def captured(model, optimizer, step):
    x = torch.ones(8, 4, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step(x.copy_(batches[0]))
    torch.cuda.current_stream().wait_stream(side)

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
for _ in range(3):
    step(batches[0])
eager = trained(step, model)
model, optimizer, step = training()
replayed = trained(captured(model, optimizer, step), model)
print("replay", [replayed], "eager", [eager])
