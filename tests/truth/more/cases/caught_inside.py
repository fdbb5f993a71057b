import torch
a = torch.ones(4, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    b = a + 1
    try:
        torch.cuda.synchronize()
    except RuntimeError as e:
        print("caught", type(e).__name__)
    c = b + 1
