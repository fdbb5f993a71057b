"""Two captures share a weight under one autocast: the second reads the copy that the first made, and only its replay renews."""

import torch

weight = torch.nn.Parameter(torch.ones(8, 8, device="cuda"))
x = torch.ones(2, 8, device="cuda")
first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.no_grad(), torch.autocast("cuda", dtype=torch.bfloat16):
    (x @ weight).sum()
torch.cuda.synchronize()
with torch.no_grad(), torch.autocast("cuda", dtype=torch.bfloat16):
    with torch.cuda.graph(first):
        y = x @ weight
    with torch.cuda.graph(second):
        z = x @ weight  # cgsan: CG204
first.replay()
got = []
for factor in (1.0, 2.0, 3.0):
    with torch.no_grad():
        weight.fill_(factor)
    second.replay()
    got.append(z[0, 0].item())
print(got, "want [8.0, 16.0, 24.0]")
