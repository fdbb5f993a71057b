# --- fails
import torch
import torch.distributed as dist


class TensorParallel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.shard = torch.nn.Linear(8, 8)

    def forward(self, x):
        y = self.shard(x)
        dist.all_reduce(y)
        return y


def main():
    dist.init_process_group("nccl")
    model = TensorParallel().cuda()
    static = torch.ones(4, 8, device="cuda")
    with torch.no_grad():
        model(static)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = model(static)
    graph.replay()
    dist.destroy_process_group()  # cgsan: CG401


main()
# --- fixed
import torch
import torch.distributed as dist


class TensorParallel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.shard = torch.nn.Linear(8, 8)

    def forward(self, x):
        y = self.shard(x)
        dist.all_reduce(y)
        return y


def main():
    dist.init_process_group("nccl")
    model = TensorParallel().cuda()
    static = torch.ones(4, 8, device="cuda")
    with torch.no_grad():
        model(static)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = model(static)
    graph.replay()
    graph.reset()
    dist.destroy_process_group()


main()
# --- lookalike
import torch
import torch.distributed as dist


def main():
    dist.init_process_group("nccl")
    static = torch.ones(4, 8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = static * 2
    graph.replay()
    dist.all_reduce(y)
    dist.destroy_process_group()


main()
