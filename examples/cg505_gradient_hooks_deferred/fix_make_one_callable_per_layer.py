"""With one callable a layer, the gradients of the last layer are there before the first one's backward."""

import torch

order = []
replay = torch.cuda.CUDAGraph.replay
torch.cuda.CUDAGraph.replay = lambda self: (order.append("replay"), replay(self))

layers = tuple(torch.nn.Linear(8, 8).cuda() for _ in range(2))
x, hidden = (torch.randn(4, 8, device="cuda", requires_grad=True) for _ in range(2))
first, last = torch.cuda.make_graphed_callables(layers, ((x,), (hidden,)))
for name, layer in (("first", first), ("last", last)):
    layer.weight.register_post_accumulate_grad_hook(lambda _, name=name: order.append(name))
y = last(first(x)).sum()
order.clear()
y.backward()
assert order == ["replay", "last", "replay", "first"], order
