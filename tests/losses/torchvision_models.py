"""torchvision: a ResNet is trained, and boxes are chosen and cut out of images."""

import torch
from torchvision.models import resnet18
from torchvision.ops import box_iou, deform_conv2d, nms, roi_align, sigmoid_focal_loss
from ways import DEVICE, say, train

model = resnet18(num_classes=10).to(DEVICE)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
batches = [(torch.randn(4, 3, 32, 32), torch.randint(0, 10, (4,))) for _ in range(3)]
train(
    model,
    optimizer,
    batches,
    lambda model, images, classes: torch.nn.functional.cross_entropy(model(images), classes),
)

corners = torch.rand(40, 2) * 20
boxes = torch.cat([corners, corners + 2 + torch.rand(40, 2) * 10], 1).to(DEVICE)
scores = torch.rand(40).to(DEVICE)
say(nms(boxes, scores, 0.3))
say(box_iou(boxes, boxes).sum())
image = torch.randn(1, 3, 32, 32).to(DEVICE).requires_grad_()
cut = roi_align(image, [boxes], output_size=4, sampling_ratio=2)
cut.square().sum().backward()
say(cut.norm(), image.grad.norm())
offsets = torch.randn(1, 18, 30, 30).to(DEVICE)
weight = torch.randn(5, 3, 3, 3).to(DEVICE)
say(deform_conv2d(image, offsets, weight).norm())
say(sigmoid_focal_loss(scores * 4 - 2, (scores > 0.5).float(), reduction="mean"))
