"""Prints what PyTorch's allocator says at the moments that `cgsan run --memory` tells of: see `crates/cgsan/tests/memory.rs`."""

import json

import torch

MIB = 1 << 20


def say(moment):
    statistics = torch.cuda.memory_stats()
    now = {
        name: statistics[f"{name}_bytes.all.current"]
        for name in ("reserved", "allocated", "active", "inactive_split")
    }
    pools = {}
    for segment in torch.cuda.memory_snapshot():
        pool = pools.setdefault(str(list(segment["segment_pool_id"])), [0, 0])
        pool[0] += segment["total_size"]
        pool[1] += segment["allocated_size"]
    print(json.dumps({"moment": moment, **now, "pools": pools}))


x = torch.empty(64 * MIB, dtype=torch.uint8, device="cuda")
small = [torch.empty(3000, device="cuda") for _ in range(50)]
graphs, pool = [], None
torch.cuda.empty_cache()
for size in (40, 20, 30):
    del small[::7]
    torch.cuda.empty_cache()
    graph = torch.cuda.CUDAGraph()
    say("before_capture")
    with torch.cuda.graph(graph, pool=pool):
        side = torch.cuda.Stream()
        origin = torch.cuda.current_stream()
        temporary = x[: size * MIB] * 2
        side.wait_stream(origin)
        with torch.cuda.stream(side):
            out = temporary[: 3 * MIB] + 1
            temporary.record_stream(side)
        origin.wait_stream(side)
        del temporary
        say("capture_ends")
    pool = graph.pool() if size == 20 else None
    graphs.append((graph, out))

y = torch.empty(100 * MIB, dtype=torch.uint8, device="cuda")
say("replay")
graphs[0][0].replay()
graphs[0][0].replay()
torch.cuda.synchronize()
del y, graphs[1]
torch.cuda.empty_cache()
say("program_ends")
