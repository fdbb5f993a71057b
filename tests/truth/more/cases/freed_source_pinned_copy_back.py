import torch

host = torch.zeros(1 << 22, pin_memory=True)
src = torch.ones(1 << 22, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    host.copy_(src, non_blocking=True)
del src
torch.cuda.empty_cache()
g.replay()
try:
    torch.cuda.current_stream().synchronize()
except RuntimeError as error:
    print(type(error).__name__, str(error).splitlines()[0])
