"""The second replay overwrites the output also when the first one has long finished."""

import torch

first = torch.tensor([1.0, 2.0], device="cuda")
second = torch.tensor([3.0, 4.0], device="cuda")
one, two = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    temporary = first.clone()
    left = temporary.clone()
    del temporary
with torch.cuda.graph(two, pool=one.pool()):
    right = second.clone()  # takes the block of `temporary`

two.replay()
torch.cuda.synchronize()
one.replay()
torch.cuda.synchronize()
assert right.tolist() == [3.0, 4.0], right.tolist()
