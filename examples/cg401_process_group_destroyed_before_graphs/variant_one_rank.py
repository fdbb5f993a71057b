"""A group of one rank is destroyed before its graph: with one rank nothing waits, with two this never ends."""

import os
import threading

import torch
import torch.distributed as dist


class ShardedStep:
    def __init__(self):
        self.gradients = torch.ones(1024, device="cuda")
        self.shard = torch.zeros(1024 // dist.get_world_size(), device="cuda")
        self.step()
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, capture_error_mode="thread_local"):
            self.step()

    def step(self):
        dist.reduce_scatter_tensor(self.shard, self.gradients)
        self.gradients.mul_(0.5)


watchdog = threading.Timer(25, os._exit, (3,))
watchdog.daemon = True
watchdog.start()
dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
trainer = ShardedStep()
trainer.graph.replay()
torch.cuda.synchronize()
print("shard", trainer.shard[0].item())
dist.destroy_process_group()  # cgsan: CG401
