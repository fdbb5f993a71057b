"""What `cgsan.explain` says of exceptions that PyTorch raises: of the one at hand, and of the one that it came from."""

import cgsan
import torch

graph = torch.cuda.CUDAGraph()
x = torch.ones(8, device="cuda")
try:
    with torch.cuda.graph(graph):
        x.sum().item()
except RuntimeError as error:
    explanation = cgsan.explain(error)
assert explanation
assert explanation.about_graphs
first = explanation.candidates[0]
assert first.id == "CG101", explanation.candidates
assert first.title and first.fixes[0].title and first.fixes[0].explanation
assert "cgsan explain CG101" in str(explanation)

try:
    {}["missing"]
except KeyError as error:
    nothing = cgsan.explain(error)
assert not nothing
assert "nothing" in str(nothing)
