"""torchvision's models: a ResNet as a graphed callable with mixed precision, a ViT whose whole training step is a graph."""

import torch
import torchvision
from torch.nn.functional import cross_entropy
from torchvision.transforms import v2


def train_resnet():
    model = torchvision.models.resnet18(num_classes=4).cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scaler = torch.amp.GradScaler("cuda")
    images = torch.randn(4, 3, 32, 32, device="cuda").to(memory_format=torch.channels_last)
    labels = torch.randint(0, 4, (4,), device="cuda")
    with torch.autocast("cuda", cache_enabled=False):
        graphed = torch.cuda.make_graphed_callables(model, (images,))
    for _ in range(3):
        optimizer.zero_grad()
        with torch.autocast("cuda", cache_enabled=False):
            loss = cross_entropy(graphed(images), labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


def train_vit():
    model = torchvision.models.VisionTransformer(
        image_size=32,
        patch_size=8,
        num_layers=2,
        num_heads=2,
        hidden_dim=32,
        mlp_dim=64,
        dropout=0.1,
        num_classes=4,
    ).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True, capturable=True)
    augment = v2.Compose([v2.RandomHorizontalFlip(), v2.Normalize([0.5] * 3, [0.5] * 3)])
    images = torch.randn(4, 3, 32, 32, device="cuda")
    labels = torch.randint(0, 4, (4,), device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        return loss

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    optimizer.zero_grad(set_to_none=True)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()
    for _ in range(4):
        images.copy_(augment(torch.rand(4, 3, 32, 32)))
        labels.copy_(torch.randint(0, 4, (4,)))
        graph.replay()
    print(loss.item())


if __name__ == "__main__":
    train_resnet()
    train_vit()
