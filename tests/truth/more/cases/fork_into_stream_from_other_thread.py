import threading
import torch

x = torch.ones(64, device="cuda")
side = torch.cuda.Stream()


def worker(origin):
    side.wait_stream(origin)
    with torch.cuda.stream(side):
        x.mul_(2)


g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g, capture_error_mode="relaxed"):
    y = x + 1
    t = threading.Thread(target=worker, args=(torch.cuda.current_stream(),))
    t.start()
    t.join()
