"""A whole Faster R-CNN is captured, which makes a tensor of its normalization from numbers of the host."""

import torch
from torchvision.models.detection import fasterrcnn_mobilenet_v3_large_320_fpn


def main():
    model = fasterrcnn_mobilenet_v3_large_320_fpn(
        weights=None, weights_backbone=None, num_classes=3, min_size=64, max_size=64
    )
    model = model.cuda().eval()
    images = [torch.rand(3, 64, 64, device="cuda")]
    with torch.no_grad():
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(2):
                model(images)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            model(images)  # cgsan: CG102


if __name__ == "__main__":
    main()
