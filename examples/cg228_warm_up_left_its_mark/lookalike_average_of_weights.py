"""The average of the weights starts from the weights after the warm-up, which trains."""

import torch

torch.manual_seed(0)
batches = [torch.randn(8, 4, device="cuda") for _ in range(3)]


def run(graphed):
    torch.manual_seed(1)
    model = torch.nn.Linear(4, 1).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1, capturable=True)
    average = [parameter.detach().clone() for parameter in model.parameters()]
    x = torch.zeros(8, 4, device="cuda")

    def step():
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(average, list(model.parameters()), 0.5)

    x.copy_(batches[0])
    for _ in range(3):
        step()
    with torch.no_grad():
        torch._foreach_copy_(average, list(model.parameters()))
    if graphed:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
    for batch in batches:
        x.copy_(batch)
        graph.replay() if graphed else step()
    return [round(average[0].sum().item(), 4)]


print("replay", run(graphed=True), "eager", run(graphed=False))
