"""Every collective between two ranks: values that the host wrote come out right, also where the ranks call in another order."""

import os

import torch
import torch.distributed as dist

rank = int(os.environ["LOCAL_RANK"])
other = 1 - rank
torch.cuda.set_device(rank)
dist.init_process_group("nccl", device_id=torch.device("cuda", rank))


def on_gpu(*numbers, dtype=torch.float32):
    return torch.tensor(numbers, dtype=dtype).cuda()


def check(tensor, *numbers):
    assert tensor.cpu().tolist() == list(numbers), (rank, tensor, numbers)


for operation, expected in [
    (dist.ReduceOp.SUM, (3, 30)),
    (dist.ReduceOp.PRODUCT, (2, 200)),
    (dist.ReduceOp.MIN, (1, 10)),
    (dist.ReduceOp.MAX, (2, 20)),
    (dist.ReduceOp.AVG, (1.5, 15)),
    (dist._make_nccl_premul_sum(0.5), (1.5, 15)),
]:
    x = on_gpu(1 + rank, 10 * (1 + rank))
    dist.all_reduce(x, operation)
    check(x, *expected)

for dtype in (torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64, torch.uint8):
    x = on_gpu(1 + rank, 7, dtype=dtype)
    dist.all_reduce(x)
    check(x, 3, 14)

x = on_gpu(5 + rank)
dist.broadcast(x, src=1)
check(x, 6)

x = on_gpu(1 + rank)
dist.reduce(x, dst=0)
check(x, 3 if rank == 0 else 2)

gathered = on_gpu(0, 0)
dist.all_gather_into_tensor(gathered, on_gpu(rank + 0.5))
check(gathered, 0.5, 1.5)

part = on_gpu(0)
dist.reduce_scatter_tensor(part, on_gpu(1 + rank, 100 + rank))
check(part, 3 if rank == 0 else 201)

exchanged = on_gpu(0, 0)
dist.all_to_all_single(exchanged, on_gpu(10 * rank, 10 * rank + 1))
check(exchanged, rank, 10 + rank)

received = on_gpu(0)
transfers = [
    dist.P2POp(dist.isend, on_gpu(7 + rank), other),
    dist.P2POp(dist.irecv, received, other),
]
for work in dist.batch_isend_irecv(transfers):
    work.wait()
check(received, 7 + other)

# The ranks begin two collectives in opposite orders: neither waits for the other on the host.
first, second = dist.new_group([0, 1]), dist.new_group([0, 1])
tensors = {first: on_gpu(1 + rank), second: on_gpu(10 + rank)}
works = {}
for group in (first, second) if rank == 0 else (second, first):
    works[group] = dist.all_reduce(tensors[group], group=group, async_op=True)
for group in (first, second):
    works[group].wait()
check(tensors[first], 3)
check(tensors[second], 21)

# What one rank does on the host after a collective may be what the other waits for before it.
store = dist.TCPStore("localhost", int(os.environ["MASTER_PORT"]), is_master=False)
x = on_gpu(1 + rank)
if rank == 1:
    store.wait(["go"])
work = dist.all_reduce(x, async_op=True)
if rank == 0:
    assert not work.is_completed()
    store.set("go", "1")
work.wait()
check(x, 3)

dist.destroy_process_group()
print("done")
