"""The captured step of a ResNet under DistributedDataParallel prints its loss on the first rank."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torchvision.models.resnet import BasicBlock, ResNet

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl", device_id=torch.device("cuda", rank))

side = torch.cuda.Stream()
with torch.cuda.stream(side):
    model = nn.SyncBatchNorm.convert_sync_batchnorm(ResNet(BasicBlock, [1, 1, 1, 1], 4)).cuda()
    model = DistributedDataParallel(model, device_ids=[rank])
torch.cuda.current_stream().wait_stream(side)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
images = torch.randn(4, 3, 32, 32, device="cuda")
labels = torch.randint(0, 4, (4,), device="cuda")


def step():
    optimizer.zero_grad(set_to_none=True)
    loss = nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    if rank == 0:
        print(loss.item())  # cgsan: CG101


side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(11):
        step()
torch.cuda.current_stream().wait_stream(side)

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=side):
    step()
