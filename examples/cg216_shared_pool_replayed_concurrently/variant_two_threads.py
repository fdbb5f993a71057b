"""Two threads of a server each replay their graph on their stream, and the graphs share a pool."""

import threading

import torch


class Worker:
    def __init__(self, value, pool):
        self.input = torch.full((4,), value, device="cuda")
        self.stream = torch.cuda.Stream()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, pool=pool):  # cgsan: label
            self.output = self.forward()

    def forward(self):
        hidden = self.input * 2
        torch.cuda._sleep(50_000_000)  # stands for long layers
        return hidden + 1

    def serve(self):
        with torch.cuda.stream(self.stream):
            self.graph.replay()  # cgsan: CG216


pool = torch.cuda.graph_pool_handle()
workers = [Worker(value, pool) for value in (1.0, 2.0)]
torch.cuda.synchronize()
threads = [threading.Thread(target=worker.serve) for worker in workers]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
torch.cuda.synchronize()
replayed = [worker.output[0].item() for worker in workers]
print("replay", replayed, "eager", [worker.forward()[0].item() for worker in workers])
