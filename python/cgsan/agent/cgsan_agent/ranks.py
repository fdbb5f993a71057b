"""The place of this process in a distributed job."""

import os
import sys

_VARIABLES = {"rank": "RANK", "local_rank": "LOCAL_RANK", "world_size": "WORLD_SIZE"}


def describe():
    """The `rank` event, or None if this process is part of no job that it knows of yet."""
    numbers = {name: _number(variable) for name, variable in _VARIABLES.items()}
    numbers.update(_of_process_group())
    if numbers["rank"] is None:
        return None
    return {"event": "rank", **numbers}


def _number(variable):
    text = os.environ.get(variable, "")
    return int(text) if text.isascii() and text.isdigit() else None


def _of_process_group():
    """What `torch.distributed` says once it is initialised: a launcher need not set the environment."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return {}
    return {"rank": distributed.get_rank(), "world_size": distributed.get_world_size()}
