"""Two ranks compute with values: collectives wait for what they send, and what uses their results waits for them."""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def main():
    dist.init_process_group("nccl")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    x = torch.full((1000,), rank + 1.0, device="cuda")
    for _ in range(3):
        x = x * 2
        dist.all_reduce(x)
    assert x.unique().tolist() == [3.0 * 8 * ranks**2]
    parts = [torch.empty(4, device="cuda") for _ in range(ranks)]
    work = dist.all_gather(parts, torch.full((4,), float(rank), device="cuda") + 1, async_op=True)
    work.wait()
    assert torch.cat(parts).sum().item() == 4 * sum(range(1, ranks + 1))

    # A collective may end while an operator counts, in memory where large numbers were.
    digits = torch.arange(100, device="cuda") % 10
    for _ in range(40):
        for size in (1, 16, 128, 4096):
            torch.full((size,), 7.5e8, device="cuda")
        work = dist.all_reduce(torch.zeros(50_000, device="cuda"), async_op=True)
        assert digits.unique().numel() == 10
        assert digits.nonzero().numel() == 90
        work.wait()

    captured = torch.full((8,), rank + 1.0, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        total = captured * 2
        dist.all_reduce(total)
        total += 1
    for _ in range(2):
        graph.replay()
        assert total.unique().tolist() == [2.0 * sum(range(1, ranks + 1)) + 1]
        captured.fill_(rank + 1.0)
    graph.reset()

    torch.manual_seed(0)
    module = torch.nn.Linear(4, 1, bias=False).cuda()
    model = DistributedDataParallel(module, device_ids=[torch.cuda.current_device()])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    start = module.weight.detach().clone()
    for _ in range(2):
        optimizer.zero_grad()
        # Autograd's thread begins collectives while the main one waits.
        model(torch.full((2, 4), rank + 1.0, device="cuda")).mean().backward()
        optimizer.step()
    moved = (start - module.weight).unique()
    assert moved.numel() == 1 and abs(moved.item() - 1.5) < 1e-5, moved

    if rank == 0:
        # The host of the other rank waits for what nobody waits for here.
        dist.send(x + 1, 1)
        dist.barrier()
    else:
        received = torch.empty_like(x)
        dist.recv(received, 0)
        assert received[0].item() == x[0].item() + 1
        dist.barrier()
    dist.destroy_process_group()
    print("all computed")


if __name__ == "__main__":
    main()
