"""open-clip: images and texts are brought together by a small CLIP."""

import open_clip
import torch
from ways import DEVICE, adamw, train

model = open_clip.model.CLIP(
    embed_dim=16,
    vision_cfg={"layers": 1, "width": 32, "head_width": 16, "image_size": 16, "patch_size": 8},
    text_cfg={"context_length": 8, "vocab_size": 64, "width": 32, "heads": 2, "layers": 1},
).to(DEVICE)
loss_of_pairs = open_clip.ClipLoss()


def loss_of(model, images, texts):
    return loss_of_pairs(*model(images, texts))


batches = [(torch.randn(4, 3, 16, 16), torch.randint(1, 64, (4, 8))) for _ in range(3)]
train(model, adamw(model.parameters(), lr=1e-3), batches, loss_of)
