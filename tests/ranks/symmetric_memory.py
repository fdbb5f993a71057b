"""Symmetric memory: each rank has the others' buffers. What kernels do with them is not computed, but is in the graph."""

import contextlib
import ctypes
import os

import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symm_mem

rank = int(os.environ["LOCAL_RANK"])
device = torch.device("cuda", rank)
torch.cuda.set_device(device)
dist.init_process_group("nccl", device_id=device)
group = dist.group.WORLD.group_name
cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")


def ordered():
    """What both ranks did before is done before what either does next: kernels of symmetric memory wait for nobody here."""
    torch.cuda.synchronize()
    dist.barrier()
    torch.cuda.synchronize()


def nodes_of(graph):
    count = ctypes.c_size_t()
    raw = ctypes.c_void_p(graph.raw_cuda_graph())
    assert cudart.cudaGraphGetNodes(raw, None, ctypes.byref(count)) == 0
    return count.value


mine = symm_mem.empty(1 << 20, dtype=torch.float32, device=device)
mine[:4].copy_(torch.full((4,), rank + 1.0))
handle = symm_mem.rendezvous(mine, group)
assert (handle.rank, handle.world_size) == (rank, 2)
other = handle.get_buffer(1 - rank, (1 << 20,), torch.float32)
ordered()
assert other[:4].tolist() == [2.0 - rank] * 4, other
assert mine[:4].tolist() == [1.0 + rank] * 4, mine

# What a rank writes into the other's memory is there.
ordered()
other[-4:].copy_(torch.full((4,), rank + 5.0))
ordered()
assert mine[-4:].tolist() == [6.0 - rank] * 4, mine
assert handle.get_signal_pad(1 - rank).numel() > 0

graph = torch.cuda.CUDAGraph(keep_graph=True)
with torch.cuda.graph(graph):
    handle.barrier()
    torch.ops.symm_mem.one_shot_all_reduce(mine, "sum", group)
    torch.ops.symm_mem.two_shot_all_reduce_(mine, "sum", group)
assert nodes_of(graph) == 3, nodes_of(graph)
graph.instantiate()
for _ in range(2):
    graph.replay()
ordered()

# Products whose parts travel by symmetric memory, as in tensor parallelism that overlaps the two.
parts = torch.randn(64, 32, device=device), torch.randn(32, 16, device=device)
overlapped = torch.cuda.CUDAGraph()
for captures in False, True:
    with torch.cuda.graph(overlapped) if captures else contextlib.nullcontext():
        torch.ops.symm_mem.fused_all_gather_matmul(parts[0], [parts[1]], 0, group)
        torch.ops.symm_mem.fused_matmul_reduce_scatter(*parts, "sum", 0, group)
        handle.put_signal(dst_rank=1 - rank)
        handle.wait_signal(src_rank=1 - rank)
overlapped.replay()
ordered()

# The other's memory is filled from ordinary memory of the host, which no graph can do.
try:
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        handle.barrier()
        other[:4].copy_(torch.ones(4))  # cgsan: CG102
except RuntimeError:
    ordered()

dist.destroy_process_group()
print("done")
