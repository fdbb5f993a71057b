"""The learning rate is a tensor; a schedule puts a number in its place."""

import torch


def train(steps, captured):
    weight = torch.nn.Parameter(torch.ones(4, device="cuda"))
    rate = torch.tensor(0.1, device="cuda")
    optimizer = torch.optim.AdamW([weight], lr=rate, capturable=True)
    x = torch.ones(4, device="cuda")

    def step():
        optimizer.zero_grad()
        (weight * x).sum().backward()
        optimizer.step()  # cgsan: CG205

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        step()
    torch.cuda.current_stream().wait_stream(side)
    run = step
    if captured:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        run = graph.replay
    for number in range(steps):
        optimizer.param_groups[0]["lr"] = 0.1 / (number + 2)
        run()
    return weight.sum().item()


print("replay", train(4, captured=True), "eager", train(4, captured=False))
