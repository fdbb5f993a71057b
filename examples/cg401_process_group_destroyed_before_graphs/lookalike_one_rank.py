"""A group of one rank is destroyed when the graphs with its collectives are gone, in whatever way each of them goes."""

import os
import threading

import torch
import torch.distributed as dist


def capture(function):
    function()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        function()
    return graph


watchdog = threading.Timer(25, os._exit, (3,))
watchdog.daemon = True
watchdog.start()
dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
gradients = torch.ones(1024, device="cuda")
shard = torch.zeros(1024, device="cuda")
graphs = {
    "scatter": capture(lambda: dist.reduce_scatter_tensor(shard, gradients)),
    "gather": capture(lambda: dist.all_gather_into_tensor(gradients, shard)),
}
for graph in graphs.values():
    graph.replay()
torch.cuda.synchronize()
print("gradients", gradients[0].item())
graphs.pop("scatter").reset()
del graph, graphs
dist.destroy_process_group()
