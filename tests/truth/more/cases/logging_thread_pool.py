import torch
from concurrent.futures import ThreadPoolExecutor
x = torch.ones(8, device="cuda"); y = x + 1
pool = ThreadPoolExecutor(1, thread_name_prefix="metrics")
pool.submit(lambda: None).result()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    z = x * 2
    f = pool.submit(lambda: y.sum().item())
    err = f.exception()
    print("POOL", type(err).__name__)
    z = z + 1
