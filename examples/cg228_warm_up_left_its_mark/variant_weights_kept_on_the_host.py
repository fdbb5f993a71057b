"""The weights are kept in the memory of the host during the warm-up, and the momentum stays as the warm-up left it."""

import torch

torch.manual_seed(0)
batches = [torch.randn(8, 4, device="cuda") for _ in range(3)]


def run(graphed):
    torch.manual_seed(1)
    model = torch.nn.Linear(4, 1).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, foreach=False)
    x = torch.zeros(8, 4, device="cuda")

    def step():
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()

    if graphed:
        host = [parameter.detach().cpu() for parameter in model.parameters()]
        x.fill_(1)
        for _ in range(3):
            step()  # cgsan: label
        with torch.no_grad():
            for parameter, kept in zip(model.parameters(), host, strict=True):
                parameter.copy_(kept)  # cgsan: label
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
    for batch in batches:
        x.copy_(batch)
        graph.replay() if graphed else step()  # cgsan: CG228
    return [round(model.bias.item(), 4)]


print("replay", run(graphed=True), "eager", run(graphed=False))
