"""The captured pass adds to the gradients that the warm-up left, and the loop sets these to zero in place."""

import torch


def train(steps, captures):
    weight = torch.nn.Parameter(torch.ones(4, device="cuda"))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    x = torch.ones(4, device="cuda")

    def gradients():
        (weight * x).sum().backward()

    gradients()
    optimizer.zero_grad(set_to_none=False)
    run = gradients
    if captures:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            gradients()
        run = graph.replay
    for _ in range(steps):
        run()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
    return [weight[0].item()]


print("replay", train(3, True), "eager", train(3, False))
