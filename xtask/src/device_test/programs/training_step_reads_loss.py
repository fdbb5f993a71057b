import torch
import torchvision

torch.manual_seed(0)
model = torchvision.models.resnet18(num_classes=10).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
images = torch.randn(8, 3, 64, 64, device="cuda")
labels = torch.randint(10, (8,), device="cuda")
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
optimizer.zero_grad(set_to_none=True)
with torch.cuda.graph(graph):
    loss = torch.nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    print(loss.item())
    optimizer.step()
for _ in range(5):
    graph.replay()
print(bool(loss.isfinite()))
