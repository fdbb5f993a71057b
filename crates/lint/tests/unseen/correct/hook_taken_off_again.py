import torch

model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4)).cuda()
sample = torch.rand(8, 16, device="cuda")
shapes = []
handle = model[1].register_forward_hook(lambda module, inputs, output: shapes.append(output.shape))
model(sample)
handle.remove()
model = torch.cuda.make_graphed_callables(model, (sample,))
for _ in range(10):
    model(torch.rand(8, 16, device="cuda")).sum().backward()
print(shapes)
