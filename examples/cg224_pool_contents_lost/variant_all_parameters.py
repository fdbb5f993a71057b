"""All parameters of a module make room for something else, and come back without their values."""

import copy

import torch

norm = torch.nn.LayerNorm(4, device="cuda").requires_grad_(False)
reference = copy.deepcopy(norm)
x = torch.arange(4.0, device="cuda")
norm(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = norm(x)

storages = [parameter.untyped_storage() for parameter in norm.parameters()]
sizes = [storage.nbytes() for storage in storages]
addresses = [storage.data_ptr() for storage in storages]
for storage in storages:
    storage.resize_(0)  # cgsan: label
activations = torch.full((256,), 7.0, device="cuda")
del activations
for storage, size in zip(storages, sizes, strict=True):
    storage.resize_(size)
assert [storage.data_ptr() for storage in storages] == addresses
graph.replay()  # cgsan: CG224
print("replay", y.tolist(), "eager", reference(x).tolist())
