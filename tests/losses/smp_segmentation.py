"""segmentation-models-pytorch: a UNet and a DeepLab are trained with their losses."""

import segmentation_models_pytorch as smp
import torch
from ways import DEVICE, adamw, train

batches = [(torch.randn(2, 3, 32, 32), torch.randint(0, 3, (2, 32, 32))) for _ in range(2)]
dice = smp.losses.DiceLoss("multiclass")
focal = smp.losses.FocalLoss("multiclass")
for kind in (smp.Unet, smp.DeepLabV3Plus):
    model = kind("resnet18", encoder_weights=None, classes=3).to(DEVICE)
    # Means over the pixels of a batch of one pixel each are not defined.
    model.eval()
    train(
        model,
        adamw(model.parameters(), lr=1e-3),
        batches,
        lambda model, x, y: dice(model(x), y) + focal(model(x), y),
    )
