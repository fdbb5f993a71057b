"""Only the parameters are put back: BatchNorm's count of batches starts with those of the warm-up, and so do its statistics."""

import copy

import torch

torch.manual_seed(0)
batches = [torch.randn(8, 4, device="cuda") for _ in range(3)]


def run(graphed):
    torch.manual_seed(1)
    norm = torch.nn.BatchNorm1d(4).cuda()
    optimizer = torch.optim.SGD(norm.parameters(), lr=0.1)
    x = torch.zeros(8, 4, device="cuda")

    def step():
        optimizer.zero_grad()
        norm(x).square().sum().backward()
        optimizer.step()

    if graphed:
        saved = copy.deepcopy(dict(norm.named_parameters()))
        x.copy_(batches[2] * 9)
        for _ in range(3):
            step()  # cgsan: label
        with torch.no_grad():
            for name, parameter in norm.named_parameters():
                parameter.copy_(saved[name])  # cgsan: label
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
    for batch in batches:
        x.copy_(batch)
        graph.replay() if graphed else step()  # cgsan: CG228
    return [norm.num_batches_tracked.item()]


print("replay", run(graphed=True), "eager", run(graphed=False))
