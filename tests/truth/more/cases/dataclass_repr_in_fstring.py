import dataclasses
import torch


@dataclasses.dataclass
class Batch:
    ids: torch.Tensor
    step: int


batch = Batch(torch.arange(3, device="cuda"), 0)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    batch.ids.add_(1)
    message = f"{batch}"
