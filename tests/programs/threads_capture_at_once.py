"""Two threads capture at once, each minding its own calls."""

import threading

import torch

start = threading.Barrier(2)
torch.cuda.synchronize()


def capture(x):
    graph = torch.cuda.CUDAGraph()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        start.wait()
        graph.capture_begin(capture_error_mode="thread_local")
        x.add_(1)
        start.wait()
        graph.capture_end()
        start.wait()
        graph.replay()


tensors = [torch.ones(4, device="cuda") for _ in range(2)]
torch.cuda.synchronize()
threads = [threading.Thread(target=capture, args=(x,)) for x in tensors]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
torch.cuda.synchronize()
print("done")
