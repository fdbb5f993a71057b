"""The place of this process in a distributed job."""

import os
import sys

# What launchers say of it: torchrun and its kin, which Ray Train imitates; Slurm; Open MPI; other MPIs. The first counts that says the
# rank. All but the first start programs, too, that are no job: these say that there is one process.
_LAUNCHERS = (
    {"rank": ("RANK",), "local_rank": ("LOCAL_RANK",), "world_size": ("WORLD_SIZE",)},
    {
        "rank": ("SLURM_PROCID",),
        "local_rank": ("SLURM_LOCALID",),
        "world_size": ("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"),
    },
    {
        "rank": ("OMPI_COMM_WORLD_RANK",),
        "local_rank": ("OMPI_COMM_WORLD_LOCAL_RANK",),
        "world_size": ("OMPI_COMM_WORLD_SIZE",),
    },
    {"rank": ("PMI_RANK",), "local_rank": ("MPI_LOCALRANKID",), "world_size": ("PMI_SIZE",)},
)


def describe():
    """The `rank` event, or None if this process is part of no job that it knows of yet."""
    numbers = _of_launcher()
    numbers.update(_of_process_group())
    if numbers["rank"] is None:
        return None
    return {"event": "rank", **numbers}


def _of_launcher():
    for launcher in _LAUNCHERS:
        numbers = {name: _number(variables) for name, variables in launcher.items()}
        is_job = launcher is _LAUNCHERS[0] or (numbers["world_size"] or 0) > 1
        if numbers["rank"] is not None and is_job:
            return numbers
    # What torchrun says of the machine holds also where it says no rank.
    return {name: _number(variables) for name, variables in _LAUNCHERS[0].items()}


def _number(variables):
    texts = (os.environ.get(variable, "") for variable in variables)
    return next((int(text) for text in texts if text.isascii() and text.isdigit()), None)


def _of_process_group():
    """What `torch.distributed` says once it is initialised: a launcher need not set the environment."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return {}
    return {"rank": distributed.get_rank(), "world_size": distributed.get_world_size()}
