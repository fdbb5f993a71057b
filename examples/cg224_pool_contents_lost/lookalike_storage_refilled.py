"""A layer frees the storage of its weight, allocates it again, and copies the weight back."""

import torch


class Layer:
    def __init__(self):
        self.weight = torch.tensor([1.0, 2.0, 3.0, 4.0], device="cuda")
        self.bytes = self.weight.untyped_storage().nbytes()

    def release(self):
        self.weight.untyped_storage().resize_(0)

    def allocate(self):
        self.weight.untyped_storage().resize_(self.bytes)


x = torch.ones(4, device="cuda")
layer = Layer()
saved = layer.weight.cpu()
address = layer.weight.data_ptr()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * layer.weight

layer.release()
activations = torch.full((4,), 7.0, device="cuda")
del activations
layer.allocate()
assert layer.weight.data_ptr() == address, "the weight is back where the graph reads it"
layer.weight.copy_(saved)
graph.replay()
print("replay", y.tolist(), "eager", (x * saved.cuda()).tolist())
