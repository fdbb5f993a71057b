"""torchmetrics: metrics of classes, of numbers and of images, collected over batches."""

import torch
from torchmetrics import MeanSquaredError, MetricCollection, PearsonCorrCoef, SpearmanCorrCoef
from torchmetrics.classification import (
    MulticlassAccuracy,
    MulticlassAUROC,
    MulticlassCalibrationError,
    MulticlassConfusionMatrix,
    MulticlassF1Score,
)
from torchmetrics.image import PeakSignalNoiseRatio, StructuralSimilarityIndexMeasure
from ways import DEVICE, say

classes = MetricCollection(
    [
        MulticlassAccuracy(5),
        MulticlassAUROC(5),
        MulticlassCalibrationError(5),
        MulticlassConfusionMatrix(5),
        MulticlassF1Score(5),
    ]
).to(DEVICE)
numbers = MetricCollection([MeanSquaredError(), PearsonCorrCoef(), SpearmanCorrCoef()]).to(DEVICE)
images = MetricCollection(
    [PeakSignalNoiseRatio(1.0), StructuralSimilarityIndexMeasure(data_range=1.0)]
).to(DEVICE)
for _ in range(3):
    logits, wanted = torch.randn(20, 5), torch.randint(0, 5, (20,))
    classes.update(logits.softmax(-1).to(DEVICE), wanted.to(DEVICE))
    x = torch.randn(20)
    numbers.update(x.to(DEVICE), (x + torch.randn(20)).to(DEVICE))
    picture = torch.rand(2, 3, 32, 32)
    noisy = (picture + 0.1 * torch.randn_like(picture)).clamp(0, 1)
    images.update(noisy.to(DEVICE), picture.to(DEVICE))
for metrics in (classes, numbers, images):
    for value in metrics.compute().values():
        say(value)
