"""Operators are computed whoever calls them: threads, tensor subclasses, modes, functorch, custom operators, compiled functions, and
what shards a model. Each is compared with the CPU."""

import copy
import os
import threading

import torch
import torch.distributed as dist
from torch import nn
from torch.autograd import forward_ad
from torch.autograd.graph import save_on_cpu, saved_tensors_hooks
from torch.distributed.tensor import Replicate, Shard, distribute_tensor, init_device_mesh
from torch.func import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    vmap,
)
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import checkpoint

STEPS = 5


def same(found, wanted, rtol=1e-4, atol=1e-5):
    torch.testing.assert_close(found.detach().cpu(), wanted.detach(), rtol=rtol, atol=atol)


def a_thread_with_a_run_of_its_own():
    x = torch.zeros(4, device="cuda")

    class Filling(threading.Thread):
        def run(self):
            x.fill_(3).mul_(2)

    thread = Filling()
    thread.start()
    thread.join()
    assert x.tolist() == [6.0] * 4


def threads_that_read_while_others_compute():
    wrong = []

    def work(number):
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(12):
                x = torch.linspace(-1, 1, 64 + number)
                if not torch.allclose((x.cuda() * 2).tanh().cpu(), (x * 2).tanh()):
                    wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


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


def all_same(found, wanted, **how_close):
    for one, other in zip(tree_leaves(found), tree_leaves(wanted), strict=True):
        same(one, other, **how_close)


def functions_of_functorch():
    x, weight = torch.randn(5, 3), torch.randn(3, 2)

    def loss(weight, x):
        return (x @ weight).tanh().square().sum()

    def inner(weight, x):
        return grad(loss)(weight * 2, x).exp().sum()

    def in_place(weight, x):
        product = x @ weight
        product[1:].mul_(3)
        return product[product > 0].square().sum()

    def both(function):
        all_same(function(weight.cuda(), x.cuda()), function(weight, x))

    both(vmap(grad(loss), (None, 0)))
    both(grad(loss))
    both(grad_and_value(loss))
    both(grad(inner))
    both(grad(in_place))
    both(jacrev(lambda weight, x: (x @ weight).tanh()))
    both(jacfwd(lambda weight, x: (x @ weight).tanh()))
    both(hessian(loss))
    both(lambda weight, x: jvp(lambda weight: loss(weight, x), (weight,), (weight.exp(),)))
    both(lambda weight, x: grad(lambda it: vmap(loss, (None, 0))(it, x).sum())(weight))


def a_functional_call():
    x = torch.randn(6, 4)
    model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 2))

    def gradients(model, x, **autocast):
        parameters = {name: it.detach() for name, it in model.named_parameters()}

        def loss(parameters):
            with torch.autocast(x.device.type, torch.bfloat16, **autocast):
                return functional_call(model, parameters, (x,)).float().square().mean()

        return grad_and_value(loss)(parameters)

    there = copy.deepcopy(model).cuda()
    wanted = gradients(model, x, enabled=False)
    all_same(gradients(there, x.cuda(), enabled=False), wanted)
    all_same(gradients(there, x.cuda()), wanted, rtol=0.05, atol=0.05)


def functions_of_functorch_in_a_graph():
    x, weight = torch.randn(5, 3), torch.randn(3, 2)

    def step(weight, x):
        return grad_and_value(lambda weight: (x @ weight).tanh().square().sum())(weight)

    there, given = weight.cuda(), torch.zeros(5, 3, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = step(there, given)
    for scale in (1, 2):
        given.copy_(x * scale)
        graph.replay()
        all_same(results, step(weight, x * scale))


def checkpoints():
    x, weight = torch.randn(4, 3), torch.randn(3, 5)

    def gradient(x, weight):
        weight = weight.clone().requires_grad_()
        y = checkpoint(lambda it: (x @ it).tanh().exp(), weight, use_reentrant=False)
        return torch.autograd.grad(y.sum(), weight)[0]

    same(gradient(x.cuda(), weight.cuda()), gradient(x, weight))


def hooks_of_saved_tensors():
    x = torch.randn(4, 3)

    def gradient(x):
        x = x.clone().requires_grad_()
        with saved_tensors_hooks(lambda it: it * 2, lambda it: it / 2):
            y = x.tanh().exp()
        with save_on_cpu():
            y = y.softmax(-1).square()
        return torch.autograd.grad(y.sum(), x)[0]

    same(gradient(x.cuda()), gradient(x))


def tangents_of_forward_mode():
    x, tangent = torch.randn(4, 3), torch.randn(4, 3)

    def both(x, tangent):
        with forward_ad.dual_level():
            y = forward_ad.make_dual(x, tangent).sin().exp().softmax(-1)
            return tuple(forward_ad.unpack_dual(y))

    all_same(both(x.cuda(), tangent.cuda()), both(x, tangent))


def nested_tensors():
    parts = [torch.randn(2, 3), torch.randn(4, 3)]
    nested = torch.nested.nested_tensor(parts, layout=torch.jagged, device="cuda")
    same((nested * 2).values(), torch.cat(parts) * 2)
    strided = torch.nested.nested_tensor(parts, device="cuda")
    wanted = torch.nested.nested_tensor(parts).softmax(-1).to_padded_tensor(0)
    same((strided * 1).softmax(-1).to_padded_tensor(0), wanted)


def an_encoder_of_sequences():
    """Without gradients, PyTorch makes a nested tensor of what is not masked."""
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    model, x = nn.TransformerEncoder(layer, 2).eval(), torch.randn(3, 6, 8)
    mask = torch.arange(6) >= torch.tensor([[6], [4], [3]])
    with torch.no_grad():
        there = copy.deepcopy(model).cuda()(x.cuda(), src_key_padding_mask=mask.cuda())
        same(there, model(x, src_key_padding_mask=mask))


def a_compiled_function():
    def forward(x, weight):
        return nn.functional.silu(x @ weight).mean(-1) + 1

    x, weight = torch.randn(8, 16), torch.randn(16, 16)
    same(torch.compile(forward)(x.cuda(), weight.cuda()), forward(x, weight))


def a_compiled_function_in_parts():
    """Between the parts of a function that it has split, `torch.compile` compiles whatever Python runs; not what computes."""

    def forward(x):
        x = torch.relu(x) + 1
        if x.sum().item() > 0:
            x = x * 3
        torch._dynamo.graph_break()
        return x.mean(-1), torch.nonzero(x).sum()

    x = torch.randn(4, 8)
    for found, wanted in zip(torch.compile(forward)(x.cuda()), forward(x), strict=True):
        same(found, wanted)


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
    threads_that_read_while_others_compute()
    a_subclass()
    a_mode_of_the_program()
    functions_of_functorch()
    a_functional_call()
    functions_of_functorch_in_a_graph()
    checkpoints()
    hooks_of_saved_tensors()
    tangents_of_forward_mode()
    nested_tensors()
    an_encoder_of_sequences()
    a_compiled_function()
    a_compiled_function_in_parts()
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="0", RANK="0", WORLD_SIZE="1")
    dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
    tensors_of_a_mesh(init_device_mesh("cuda", (1,)))
    sharded_models()
    dist.destroy_process_group()
    print("all computed")


if __name__ == "__main__":
    main()
