import torch

model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4)).cuda()
sample = torch.rand(8, 16, device="cuda")
dead = []


def watch(module, inputs, output):
    dead.append((output == 0).float().mean())


model = torch.cuda.make_graphed_callables(model, (sample,))
model[1].register_forward_hook(watch)  # cgsan: CG213
for _ in range(10):
    model(torch.rand(8, 16, device="cuda")).sum().backward()
print(len(dead))
