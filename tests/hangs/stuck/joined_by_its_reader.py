"""The main thread waits for the end of one that waits for an item of a queue, which nobody puts in any more."""
# says: every thread waits for a lock
# says: MainThread waits for the end of loader
# attach says: MainThread (
# attach says: waits for an item of a queue
# attach says: waits for the end of thread
# attach says: CG405

import queue
import threading

import torch

x = torch.ones(8, device="cuda")
batches = queue.Queue()


def load():
    while True:
        x.copy_(batches.get())


loader = threading.Thread(target=load, name="loader")
loader.start()
batches.put(torch.zeros(8))
loader.join()  # cgsan: CG405
