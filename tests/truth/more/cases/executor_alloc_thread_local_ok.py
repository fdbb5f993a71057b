import concurrent.futures
import threading
import torch

go = threading.Event()
x = torch.zeros(1024, device="cuda")


def upload(n):
    go.wait(5)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        t = torch.ones(n, device="cuda")
        side.synchronize()
    return t.numel()


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    futures = [pool.submit(upload, 1 << 22), pool.submit(upload, 1 << 21)]
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g, capture_error_mode="thread_local"):
        y = x + 1
        go.set()
        sizes = [f.result() for f in futures]
        z = y * 2
    g.replay()
torch.cuda.synchronize()
print(sizes)
