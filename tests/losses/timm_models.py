"""timm: a vision transformer and a convolutional network are trained."""

import timm
import torch
from ways import DEVICE, adamw, train


def loss_of(model, images, classes):
    return torch.nn.functional.cross_entropy(model(images), classes)


batches = [(torch.randn(4, 3, 32, 32), torch.randint(0, 10, (4,))) for _ in range(3)]
for name, options in (
    ("vit_tiny_patch16_224", {"img_size": 32, "embed_dim": 48, "depth": 2}),
    ("convnext_atto", {"depths": (1, 1, 1, 1), "dims": (8, 16, 32, 64)}),
    ("mobilenetv3_small_050", {}),
):
    model = timm.create_model(name, pretrained=False, num_classes=10, **options).to(DEVICE)
    train(model, adamw(model.parameters(), lr=3e-4), batches, loss_of)
