import torch
from torch.optim.swa_utils import AveragedModel

net = torch.nn.Linear(4, 4).cuda()
average = AveragedModel(net)
average.update_parameters(net)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    average.update_parameters(net)
