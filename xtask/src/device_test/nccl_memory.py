"""Measures the memory that captured collectives take outside PyTorch's allocator, on two GPUs.

Usage: python nccl_memory.py

Prints one line of JSON for each setting, from rank 0: what the device has lost beside the memory that PyTorch reserved, in MiB, after
so many captures. NCCL reads its variables when a communicator is made, so it starts itself again for each setting.
"""

import json
import os
import subprocess
import sys

import torch
import torch.distributed as dist

CAPTURES = [1, 2, 4, 8, 16, 32]
CALLS = 10
# Name, variables, collective, how the graphs are kept.
SETTINGS = [
    ("no collective", {}, "none", "own pools"),
    ("all_reduce, eager", {}, "eager", "own pools"),
    ("all_reduce", {}, "all_reduce", "own pools"),
    ("all_reduce, shared pool", {}, "all_reduce", "one pool"),
    ("all_gather", {}, "all_gather", "own pools"),
    ("all_reduce, 4 groups", {}, "groups", "own pools"),
    (
        "all_reduce, NCCL_GRAPH_MIXING_SUPPORT=0",
        {"NCCL_GRAPH_MIXING_SUPPORT": "0"},
        "all_reduce",
        "own pools",
    ),
    ("all_reduce, NCCL_GRAPH_REGISTER=0", {"NCCL_GRAPH_REGISTER": "0"}, "all_reduce", "own pools"),
    ("all_reduce, NCCL_CUMEM_ENABLE=0", {"NCCL_CUMEM_ENABLE": "0"}, "all_reduce", "own pools"),
    (
        "all_reduce, NCCL_CUMEM_ENABLE=0, NCCL_GRAPH_REGISTER=0",
        {"NCCL_CUMEM_ENABLE": "0", "NCCL_GRAPH_REGISTER": "0"},
        "all_reduce",
        "own pools",
    ),
    ("all_gather, NCCL_CUMEM_ENABLE=0", {"NCCL_CUMEM_ENABLE": "0"}, "all_gather", "own pools"),
]


def beside_the_allocator():
    """MiB that the device has lost and PyTorch has not reserved, on this rank's GPU."""
    torch.cuda.synchronize()
    free, total = torch.cuda.mem_get_info()
    return (total - free - torch.cuda.memory_reserved()) / 2**20


def calls(kind, groups, x, gathered):
    for call in range(CALLS):
        if kind == "none":
            x.add_(1)
        elif kind == "all_gather":
            dist.all_gather_into_tensor(gathered, x)
        else:
            dist.all_reduce(x, group=groups[call % len(groups)])


def measure(kind, pools):
    rank = int(os.environ["RANK"])
    torch.cuda.set_device(rank)
    context = beside_the_allocator()
    dist.init_process_group("nccl", device_id=torch.device(rank))
    groups = [dist.new_group([0, 1]) for _ in range(4)] if kind == "groups" else [None]
    x = torch.ones(1 << 22, device="cuda")
    gathered = torch.empty(1 << 23, device="cuda")
    calls(kind, groups, x, gathered)
    before = beside_the_allocator()
    pool = torch.cuda.graph_pool_handle() if pools == "one pool" else None
    graphs, after = [], {}
    for count in range(1, CAPTURES[-1] + 1):
        if kind == "eager":
            calls(kind, groups, x, gathered)
        else:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=pool):
                temporary = x * 2
                calls(kind, groups, temporary, gathered)
            graph.replay()
            graphs.append(graph)
        if count in CAPTURES:
            after[count] = round(beside_the_allocator() - before, 1)
    for graph in graphs:
        graph.reset()
    torch.cuda.empty_cache()
    if rank == 0:
        line = {
            "context": round(context, 1),
            "communicators": round(before - context, 1),
            "after_captures": after,
            "after_reset": round(beside_the_allocator() - before, 1),
        }
        print(json.dumps(line), flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    if sys.argv[1:]:
        measure(*sys.argv[1:])
    else:
        print(json.dumps({"torch": torch.__version__, "nccl": torch.cuda.nccl.version()}))
        for name, variables, kind, pools in SETTINGS:
            command = [
                sys.executable,
                "-m",
                "torch.distributed.run",
                "--nproc-per-node",
                "2",
                __file__,
                kind,
                pools,
            ]
            done = subprocess.run(
                command, env=os.environ | variables, capture_output=True, text=True
            )
            lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
            print(
                json.dumps(
                    {"setting": name}
                    | json.loads(lines[0] if lines else json.dumps({"error": done.stderr[-300:]}))
                ),
                flush=True,
            )
