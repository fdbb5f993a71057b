import torch
x = torch.ones(8, device="cuda")
for op in (lambda y: y.sum().item(), lambda y: torch.cuda.synchronize()):
    g = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(g):
            op(x + 1)
    except RuntimeError as e:
        print(type(e).__name__)
print("OK")
