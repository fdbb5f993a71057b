"""Losses over a static batch in which the rows behind a smaller batch do not count: zeroed, masked, ignored by their labels, or cut
off; and results for each row, of which the program takes its own."""

import torch

torch.manual_seed(0)
model = torch.nn.Linear(6, 3).cuda()
x = torch.zeros(4, 6, device="cuda")
labels = torch.zeros(4, dtype=torch.long, device="cuda")
count = torch.zeros((), dtype=torch.long, device="cuda")
weights = torch.zeros(4, device="cuda")
losses = torch.zeros(5, device="cuda")
outputs = torch.zeros(4, 3, device="cuda")
padded = torch.zeros(4, 6, device="cuda")
cross_entropy = torch.nn.functional.cross_entropy


def ignored():
    losses[0] = cross_entropy(model(x), labels, ignore_index=-100)


def masked():
    each = model(x).square().mean(1)
    mask = torch.arange(4, device="cuda") < count
    losses[1] = (each * mask).sum() / count


def weighted():
    losses[2] = (model(x).square().mean(1) * weights).sum() / weights.sum()


def zeroed():
    losses[3] = padded.square().sum()


def for_each_row():
    outputs.copy_(model(x))


def cut_off():
    losses[4] = model(x[:2]).mean()


regions = [ignored, masked, weighted, zeroed, for_each_row, cut_off]
with torch.no_grad():
    for region in regions:
        region()
    torch.cuda.synchronize()
    graphs = [torch.cuda.CUDAGraph() for _ in regions]
    for graph, region in zip(graphs, regions, strict=True):
        with torch.cuda.graph(graph):
            region()

    for rows in (4, 2, 3, 2):
        batch = torch.randn(rows, 6, device="cuda")
        x[:rows].copy_(batch)
        labels[:rows].copy_(torch.randint(3, (rows,), device="cuda"))
        labels[rows:].fill_(-100)
        count.fill_(rows)
        weights[:rows].fill_(1)
        weights[rows:].fill_(0)
        padded.zero_()
        padded[:rows].copy_(batch)
        for graph in graphs:
            graph.replay()
        print(outputs[:rows].shape, bool(losses.isfinite().all()))
