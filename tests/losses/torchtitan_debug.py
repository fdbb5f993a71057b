"""torchtitan's debug model on two ranks, with its plan for tensor and sequence parallel layers, a loss that is split as well, and selective recomputation."""

import ranks
import torch
import torch.distributed as dist
from torchtitan.components.loss import cross_entropy_loss
from torchtitan.config import JobConfig
from torchtitan.distributed import parallel_dims, utils
from torchtitan.models.llama3 import Transformer, llama3_args, parallelize_llama
from ways import say

device = ranks.begin()
# It takes that of PyTorch's build, whether there is a GPU or not.
parallel_dims.device_type = device.type
config = JobConfig()
config.training.seq_len = 16
config.activation_checkpoint.mode = "selective"
arguments = llama3_args["debugmodel"]
arguments.n_layers = 2
arguments.update_from_config(config)
# FSDP is left to another program: gloo has not the reduction that this model asks for.
degrees = dict.fromkeys(("dp_replicate", "dp_shard", "cp", "pp", "ep", "etp"), 1)
dims = parallel_dims.ParallelDims(**degrees, tp=2, world_size=2)
model = Transformer(arguments)
with torch.no_grad():
    model.init_weights()
model = parallelize_llama(model.to(device), dims, config)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(4):
    tokens = torch.randint(0, 2048, (2, 17)).to(device)
    optimizer.zero_grad()
    with utils.get_train_context(enable_loss_parallel=True)():
        loss = cross_entropy_loss(model(tokens[:, :-1]), tokens[:, 1:])
        loss.backward()
    norm = utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if dist.get_rank() == 0:
        say(loss.full_tensor(), norm)
dist.destroy_process_group()
