"""The captured training step of torchvision's ViT skips the step of the optimizer where the loss is not finite."""

import torch
import torchvision
from torch.nn.functional import cross_entropy


def main():
    model = torchvision.models.VisionTransformer(
        image_size=32,
        patch_size=8,
        num_layers=1,
        num_heads=2,
        hidden_dim=32,
        mlp_dim=64,
        num_classes=4,
    ).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, capturable=True)
    images = torch.randn(4, 3, 32, 32, device="cuda")
    labels = torch.randint(0, 4, (4,), device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = cross_entropy(model(images), labels)
        loss.backward()
        if loss.isfinite():  # cgsan: CG101
            optimizer.step()

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()


if __name__ == "__main__":
    main()
