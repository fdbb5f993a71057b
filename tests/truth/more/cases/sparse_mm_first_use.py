import torch
i = torch.tensor([[0, 1, 2], [2, 0, 1]], device="cuda")
s = torch.sparse_coo_tensor(i, torch.ones(3, device="cuda"), (3, 3)).coalesce().to_sparse_csr()
d = torch.randn(3, 4, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = s @ d
print("OK")
