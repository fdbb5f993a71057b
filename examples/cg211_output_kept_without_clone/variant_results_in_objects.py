"""A server puts the output into each request, and all requests get the memory of the last answer."""

from dataclasses import dataclass

import torch


@dataclass
class Request:
    value: float
    result: torch.Tensor | None = None


static = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    output = static * 2  # cgsan: label


def serve(requests):
    for request in requests:
        static.fill_(request.value)
        graph.replay()  # cgsan: CG211
        request.result = output


requests = [Request(float(number)) for number in range(4)]
serve(requests)
replayed = [request.result[0].item() for request in requests]
print("replay", replayed, "eager", [request.value * 2 for request in requests])
