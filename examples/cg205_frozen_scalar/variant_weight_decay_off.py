"""Weight decay is switched off for the last steps; the graph goes on with it, and with the work that it takes."""

import torch


def train(captures):
    weight = torch.nn.Parameter(torch.ones(4, device="cuda"))
    optimizer = torch.optim.AdamW([weight], lr=0.01, weight_decay=0.5, capturable=True)
    x = torch.ones(4, device="cuda")

    def step():
        optimizer.zero_grad()
        (weight * x).sum().backward()
        optimizer.step()  # cgsan: CG205

    step()
    run = step
    if captures:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):  # cgsan: label
            step()
        run = graph.replay
    for number in range(4):
        optimizer.param_groups[0]["weight_decay"] = 0.0 if number >= 2 else 0.5
        run()  # cgsan: label
    return [round(weight[0].item(), 4)]


print("replay", train(True), "eager", train(False))
