"""The first table lives until the streams have joined, and two branches read what a third one wrote before them."""

import torch

sides = [torch.cuda.Stream() for _ in range(2)]
x = torch.full((1 << 20,), 1.0, device="cuda")


def step():
    main = torch.cuda.current_stream()
    shared = x + 1
    parts = []
    for number, side in enumerate(sides):
        side.wait_stream(main)
        with torch.cuda.stream(side):
            scaled = shared * (number + 1)
            parts.append(scaled + 1)
    torch.cuda._sleep(20_000_000)  # stands for long layers
    total = shared * 10
    for side in sides:
        main.wait_stream(side)
    del shared, scaled
    return total + parts[0] + parts[1]


step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()
graph.replay()
torch.cuda.synchronize()
print("replay", y[0].item(), "eager", 28.0)
