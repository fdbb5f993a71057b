import torch
m = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()).cuda()
x = torch.randn(2, 4, device="cuda", requires_grad=True)
f = torch.cuda.make_graphed_callables(m, (x,))
for _ in range(3):
    f(x).sum().backward()
torch.cuda.synchronize()
print("OK")
