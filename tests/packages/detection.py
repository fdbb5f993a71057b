"""A Faster R-CNN of torchvision is trained and asked; how many boxes there are is decided by values."""

import torch
from torchvision.models.detection import fasterrcnn_mobilenet_v3_large_320_fpn
from torchvision.ops import nms


def target():
    corner = torch.rand(2, 2, device="cuda") * 30
    return {
        "boxes": torch.cat([corner, corner + 20], 1),
        "labels": torch.randint(1, 3, (2,), device="cuda"),
    }


def main():
    model = fasterrcnn_mobilenet_v3_large_320_fpn(
        weights=None,
        weights_backbone=None,
        num_classes=3,
        min_size=64,
        max_size=64,
        rpn_pre_nms_top_n_train=50,
        rpn_post_nms_top_n_train=20,
    ).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for _ in range(2):
        images = [torch.rand(3, 64, 64, device="cuda") for _ in range(2)]
        losses = model(images, [target() for _ in images])
        loss = sum(losses.values())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())
    with torch.no_grad():
        found = model.eval()(images)
    assert len(found) == 2
    corners, scores = torch.rand(20, 2) * 20, torch.rand(20)
    boxes = torch.cat([corners, corners + 15], 1)
    assert nms(boxes.cuda(), scores.cuda(), 0.3).tolist() == nms(boxes, scores, 0.3).tolist()
    backbone = model.backbone
    images = torch.rand(2, 3, 64, 64, device="cuda")
    with torch.no_grad():
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(2):
                backbone(images)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            features = backbone(images)
        for _ in range(2):
            images.copy_(torch.rand(2, 3, 64, 64))
            graph.replay()
            print({name: it.sum().item() for name, it in features.items()})


if __name__ == "__main__":
    main()
