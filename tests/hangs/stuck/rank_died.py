"""A rank ends without a word, and nobody stops the one that waits for it."""
# says: rank 1 has ended
# says: waits in cudaStreamSynchronize
# attach says: rank 0
# attach says: waits in cudaStreamSynchronize, which has not returned for at least
# attach says: CG405

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=2, device_id=torch.device(rank))
    x = torch.ones(8, device="cuda")
    dist.all_reduce(x)
    print(x.sum().item())
    if rank == 1:
        os._exit(0)
    dist.all_reduce(x)
    print(x.sum().item())  # cgsan: CG405


if __name__ == "__main__":
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(20000 + os.getpid() % 10000)}
    mp.spawn(work, nprocs=2)
