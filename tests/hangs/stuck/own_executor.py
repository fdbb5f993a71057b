"""A task waits for another one of the only thread that could run it. A timer would end the program later."""

# says: every thread waits for a lock or a condition that only another one of them can release
# attach says: waits for the result of a task
# attach says: `graph` of module __main__

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import torch

timer = threading.Timer(60, os._exit, (3,))
timer.daemon = True
timer.start()

x = torch.ones(64, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
worker = ThreadPoolExecutor(1, thread_name_prefix="gpu")


def replay():
    worker.submit(x.fill_, 3.0).result()
    graph.replay()


worker.submit(replay).result()  # cgsan: CG405
