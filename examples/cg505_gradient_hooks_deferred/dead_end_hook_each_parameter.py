"""Within one callable, every hook runs after the whole backward, whatever parameter it is on."""

import torch

order = []
replay = torch.cuda.CUDAGraph.replay
torch.cuda.CUDAGraph.replay = lambda self: (order.append("replay"), replay(self))

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)).cuda()
x = torch.randn(4, 8, device="cuda", requires_grad=True)
graphed = torch.cuda.make_graphed_callables(model, (x,))
for name, layer in (("first", model[0]), ("last", model[1])):
    layer.weight.register_post_accumulate_grad_hook(lambda _, name=name: order.append(name))
y = graphed(x).sum()
order.clear()
y.backward()
assert order.index("last") < order.index("replay"), order
