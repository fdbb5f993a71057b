"""Each step gives the captured code a new object with its tensors, by a context; the graph reads those of the object of the capture."""

from dataclasses import dataclass

import torch


@dataclass
class Metadata:
    pages: torch.Tensor


class Context:
    metadata = None


def attend():
    return cache[Context.metadata.pages] * 2  # cgsan: CG203


cache = torch.arange(8.0, device="cuda")
static = Metadata(torch.zeros(2, dtype=torch.long, device="cuda"))
Context.metadata = static
attend()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    out = attend()
for step in range(4):
    Context.metadata = Metadata(torch.tensor([step, 7 - step], device="cuda"))
    graph.replay()
    print("replay", out.tolist(), "eager", attend().tolist())
