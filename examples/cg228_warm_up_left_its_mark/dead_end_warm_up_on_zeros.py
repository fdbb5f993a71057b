"""The warm-up runs on zeros, which have gradients, too, and counts its steps."""

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
    x = torch.zeros(8, 4, device="cuda")
    saved = {name: value.clone() for name, value in model.state_dict().items()}
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step(x)  # cgsan: label
    torch.cuda.current_stream().wait_stream(side)
    model.load_state_dict(saved)  # cgsan: label

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step(x)

    def replay(batch):
        x.copy_(batch)
        graph.replay()  # cgsan: CG228

    return replay


def trained(step, model):
    for batch in batches:
        step(batch)
    return round(model.bias.item(), 4)


model, optimizer, step = training()
eager = trained(step, model)
model, optimizer, step = training()
replayed = trained(captured(model, optimizer, step), model)
print("replay", [replayed], "eager", [eager])
assert replayed == eager, (replayed, eager)
