"""Operators are computed whoever calls them: threads, tensor subclasses, modes, functorch, custom operators, compiled functions, and
what shards a model. Each is compared with the CPU."""

import copy
import os
import threading

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.tensor import Replicate, Shard, distribute_tensor, init_device_mesh
from torch.utils._python_dispatch import TorchDispatchMode

STEPS = 5


def same(found, wanted):
    torch.testing.assert_close(found.detach().cpu(), wanted.detach(), rtol=1e-4, atol=1e-5)


def a_thread_with_a_run_of_its_own():
    x = torch.zeros(4, device="cuda")

    class Filling(threading.Thread):
        def run(self):
            x.fill_(3).mul_(2)

    thread = Filling()
    thread.start()
    thread.join()
    assert x.tolist() == [6.0] * 4


def a_subclass():
    class Named(torch.Tensor):
        pass

    x = torch.arange(4.0, device="cuda").as_subclass(Named)
    assert isinstance(x, Named) and (x * 2).sum().item() == 12.0


def a_mode_of_the_program():
    class Doubling(TorchDispatchMode):
        """Does something else than it is asked."""

        def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
            result = function(*arguments, **(keywords or {}))
            return result * 2 if function is torch.ops.aten.neg.default else result

    x = torch.ones(3, device="cuda")
    with Doubling():
        y = -x
    assert y.tolist() == [-2.0] * 3


def functions_of_functorch():
    x, weight = torch.randn(5, 3), torch.randn(3, 2)

    def loss(weight, x):
        return (x @ weight).tanh().square().sum()

    each = torch.func.vmap(torch.func.grad(loss), (None, 0))
    same(each(weight.cuda(), x.cuda()), each(weight, x))


def nested_tensors():
    parts = [torch.randn(2, 3), torch.randn(4, 3)]
    nested = torch.nested.nested_tensor(parts, layout=torch.jagged, device="cuda")
    same((nested * 2).values(), torch.cat(parts) * 2)


def a_compiled_function():
    def forward(x, weight):
        return nn.functional.silu(x @ weight).mean(-1) + 1

    x, weight = torch.randn(8, 16), torch.randn(16, 16)
    same(torch.compile(forward)(x.cuda(), weight.cuda()), forward(x, weight))


def tensors_of_a_mesh(mesh):
    x, weight = torch.randn(4, 4), torch.randn(4, 4, requires_grad=True)
    there = distribute_tensor(weight.detach().cuda(), mesh, [Replicate()]).requires_grad_()
    (distribute_tensor(x.cuda(), mesh, [Shard(0)]) @ there).relu().sum().backward()
    (x @ weight).relu().sum().backward()
    same(there.grad.to_local(), weight.grad)


def sharded_models():
    from torch.distributed._composable.fsdp import fully_shard
    from torch.distributed.fsdp import FullyShardedDataParallel

    def trained(model, x):
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        for _ in range(STEPS):
            loss = model(x).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return loss

    def shard(model):
        fully_shard(model)
        return model

    x = torch.randn(6, 4)
    model = nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4), nn.GELU(), nn.Linear(4, 1))
    for sharded in (shard, lambda model: FullyShardedDataParallel(model, device_id=0)):
        there = sharded(copy.deepcopy(model).cuda())
        same(trained(there, x.cuda()), trained(copy.deepcopy(model), x))


def main():
    torch.manual_seed(0)
    a_thread_with_a_run_of_its_own()
    a_subclass()
    a_mode_of_the_program()
    functions_of_functorch()
    nested_tensors()
    a_compiled_function()
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="0", RANK="0", WORLD_SIZE="1")
    dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
    tensors_of_a_mesh(init_device_mesh("cuda", (1,)))
    sharded_models()
    dist.destroy_process_group()
    print("all computed")


if __name__ == "__main__":
    main()
