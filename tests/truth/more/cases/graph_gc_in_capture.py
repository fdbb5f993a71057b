import gc, torch
x = torch.ones(8, device="cuda")
class Holder: pass
h = Holder(); h.me = h; h.graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(h.graph):
    y = x + 1
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    z = x + 2
    del h
    gc.collect()
    w = z + 1
print("OK")
