"""Four ranks, each step of training in a graph: DistributedDataParallel, FSDP2, and FSDP2 of layers split between ranks."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
side = torch.cuda.Stream()


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(16, 32)
        self.down = nn.Linear(32, 16)

    def forward(self, x):
        return x + self.down(self.up(x).relu())


def network():
    return nn.Sequential(Block(), Block(), nn.Linear(16, 4)).cuda()


def replicated():
    return DistributedDataParallel(network(), device_ids=[rank])


def sharded(model=None, mesh=None):
    model = model or network()
    for layer in model:
        fully_shard(layer, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def split():
    mesh = init_device_mesh("cuda", (2, 2), mesh_dim_names=("data", "tensor"))
    model = network()
    for block in model[:2]:
        parallelize_module(
            block, mesh["tensor"], {"up": ColwiseParallel(), "down": RowwiseParallel()}
        )
    return sharded(model[:2], mesh["data"])


def train(make, warmup):
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        model = make()
    torch.cuda.current_stream().wait_stream(side)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, capturable=True, foreach=True)
    inputs = torch.randn(8, 16, device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        model(inputs).square().mean().backward()
        optimizer.step()

    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(warmup):
            step()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):
        step()
    for _ in range(3):
        inputs.copy_(torch.randn(8, 16))
        graph.replay()
    torch.cuda.synchronize()
    graph.reset()


train(replicated, 11)
train(sharded, 3)
train(split, 3)
dist.destroy_process_group()
print("done")
