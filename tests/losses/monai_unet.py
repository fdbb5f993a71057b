"""MONAI: a three-dimensional UNet learns to segment with the Dice loss, and looks at a volume piece by piece."""

import torch
from monai.inferers import sliding_window_inference
from monai.losses import DiceCELoss
from monai.metrics import DiceMetric
from monai.networks.nets import UNet
from ways import DEVICE, adamw, brief, say, train

model = UNet(spatial_dims=3, in_channels=1, out_channels=2, channels=(4, 8), strides=(2,)).to(
    DEVICE
)
dice = DiceCELoss(to_onehot_y=True, softmax=True)
batches = [(torch.randn(2, 1, 8, 8, 8), torch.randint(0, 2, (2, 1, 8, 8, 8))) for _ in range(3)]
train(model, adamw(model.parameters()), batches, lambda model, x, y: dice(model(x), y))
with torch.no_grad():
    volume = torch.randn(1, 1, 16, 12, 8).to(DEVICE)
    found = sliding_window_inference(volume, (8, 8, 8), 2, model, overlap=0.25, mode="gaussian")
say(brief(found))
classes = found.argmax(1, keepdim=True)
say(DiceMetric(num_classes=2)(classes, (volume > 0).long()))
