# --- fails
import torch
import torch.distributed as dist


def average(parameter):
    dist.all_reduce(parameter.grad, op=dist.ReduceOp.AVG, async_op=True)


model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)).cuda()
x = torch.ones(8, 8, device="cuda")
graphed = torch.cuda.make_graphed_callables(model, (x,))
for parameter in graphed.parameters():
    parameter.register_post_accumulate_grad_hook(average)  # cgsan: CG505
# --- fixed
import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)).cuda()
x = torch.ones(8, 8, device="cuda")
graphed = torch.cuda.make_graphed_callables(model, (x,))
graphed(x).sum().backward()
# --- lookalike
import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)).cuda()
weight = torch.ones(8, device="cuda", requires_grad=True)
weight.register_hook(lambda gradient: gradient * 2)
