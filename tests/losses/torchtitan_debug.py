"""torchtitan's debug model on two ranks: its tensor and sequence parallel plan with the loss split as well, then FSDP2 in bfloat16."""

import ranks
import torch
import torch.distributed as dist
from torchtitan.components.loss import cross_entropy_loss
from torchtitan.config import JobConfig
from torchtitan.distributed import ParallelDims, utils
from torchtitan.models.llama3 import Transformer, llama3_args, parallelize_llama
from ways import say

device = ranks.begin()
config = JobConfig()
config.training.seq_len = 16
config.activation_checkpoint.mode = "selective"
for split in ("tp", "dp_shard"):
    torch.manual_seed(0)
    arguments = llama3_args["debugmodel"]
    arguments.n_layers = 2
    arguments.update_from_config(config)
    degrees = dict.fromkeys(("dp_replicate", "dp_shard", "cp", "tp", "pp", "ep", "etp"), 1)
    dims = ParallelDims(**degrees | {split: 2}, world_size=2)
    model = Transformer(arguments)
    model.init_weights()
    model = parallelize_llama(model.to(device), dims, config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(3):
        tokens = torch.randint(0, 2048, (2, 17))
        if split == "dp_shard":
            tokens = tokens[dist.get_rank() :][:1]
        tokens = tokens.to(device)
        optimizer.zero_grad()
        with utils.get_train_context(split == "tp")():
            loss = cross_entropy_loss(model(tokens[:, :-1]), tokens[:, 1:])
            loss.backward()
        norm = utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        loss = loss.full_tensor() if hasattr(loss, "full_tensor") else loss
        if dist.get_rank() == 0:
            say(loss, norm)
dist.destroy_process_group()
