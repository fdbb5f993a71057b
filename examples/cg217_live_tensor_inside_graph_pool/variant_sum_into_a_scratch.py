"""A sum goes into the first element of a scratch tensor that was made in the capture; the marks behind it do not last."""

import functools

import torch


@functools.cache
def scratch(elements):
    return torch.empty(elements, device="cuda")  # cgsan: label


def total(x):
    squares = x.square()
    largest = squares.amax()
    del squares
    work = scratch(len(x))
    torch.sum(x, 0, keepdim=True, out=work[:1])
    return largest


x = torch.full((512,), 2.0, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    largest = total(x)

marks = scratch(512)[1:]
marks.copy_(torch.arange(511.0, device="cuda"))
expected = [x.sum().item(), marks.sum().item()]
graph.replay()  # cgsan: CG217
replayed = [scratch(512)[0].item(), marks.sum().item()]
print("replay", replayed, "eager", expected)
