import torch

a = torch.nn.Linear(8, 8).cuda()
b = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.5)).cuda()
sa = torch.randn(4, 8, device="cuda")
sb = torch.randn(4, 8, device="cuda", requires_grad=True)
a, b = torch.cuda.make_graphed_callables((a, b), ((sa,), (sb,)), num_warmup_iters=2)
opt = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
for _ in range(3):
    opt.zero_grad()
    loss = b(a(torch.randn(4, 8, device="cuda"))).sum()
    loss.backward()
    opt.step()
torch.cuda.synchronize()
print("trained")
