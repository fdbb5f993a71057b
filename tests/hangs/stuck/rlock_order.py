"""A thread that replays waits for a lock of Python's, whose holder waits for a mutex that the first thread has."""
# says: every thread waits for a lock
# says: MainThread waits for an RLock that replayer holds
# says: replayer waits for a mutex that MainThread holds
# attach says: waits for an RLock that
# attach says: waits for a mutex that MainThread holds
# attach says: CG405

import ctypes
import threading

import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x.add_(1)

native = ctypes.CDLL(None)
mutex = ctypes.create_string_buffer(64)  # A mutex of pthreads, as a library has it.
inputs, both = threading.RLock(), threading.Barrier(2)


def replay():
    with inputs:
        both.wait()
        native.pthread_mutex_lock(mutex)
        graph.replay()


native.pthread_mutex_lock(mutex)
threading.Thread(target=replay, name="replayer").start()
both.wait()
with inputs:  # cgsan: CG405
    x.fill_(1)
