"""An input is dropped after the first replay, and a new tensor takes its memory before the second."""

import torch

inputs = {
    "x": torch.full((4,), 3.0, device="cuda"),
    "bias": torch.full((4,), 1.0, device="cuda"),  # cgsan: label
}
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = inputs["x"] + inputs["bias"]

replayed = []
for number in range(3):
    graph.replay()  # cgsan: CG209
    replayed.append(y[0].item())
    if number == 0:
        del inputs["bias"]
        cache = torch.full((4,), 50.0, device="cuda")
eager = [(inputs["x"] + 1.0)[0].item()] * 3
print("replay", replayed, "eager", eager)
