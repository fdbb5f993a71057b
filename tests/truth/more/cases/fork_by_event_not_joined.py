import torch

x = torch.randn(64, device="cuda")
copy_stream = torch.cuda.Stream()
ready = torch.cuda.Event()
done = torch.cuda.Event()
host = torch.empty(64, pin_memory=True)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = x * 3
    ready.record()
    with torch.cuda.stream(copy_stream):
        copy_stream.wait_event(ready)
        host.copy_(y, non_blocking=True)
        done.record()
    z = y + 1
