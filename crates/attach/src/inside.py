"""Tells what PyTorch keeps of graphs, memory and process groups in this process.

`cgsan attach --inside` has a thread of the process run this, with two names set before it: `FOLDER`, which only the process's user and
that of the command can enter, and `ASKS_ALLOCATOR`. It changes nothing, and its names are its own. Of several threads that are asked, the
first one answers.
"""

import gc
import json
import os
import sys

# The most graphs, pools, lines, groups and collectives that are told.
GRAPHS, POOLS, LINES, GROUPS, COLLECTIVES = 256, 64, 32, 64, 64

# The most variables that are told of a graph.
NAMES = 4


def answer():
    """Everything, by parts; what cannot be told has its reason in `unseen`."""
    told = {"unseen": []}
    for name, part in (
        ("threads", threads),
        ("graphs", graphs),
        ("memory", memory),
        ("groups", groups),
        ("collectives", collectives),
    ):
        try:
            told[name] = part()
        except Exception as error:
            told[name] = None
            told["unseen"].append(f"{name}: {type(error).__name__}: {error}")
    return told


def threads():
    """The names of threads by what `gettid` returns in them."""
    threading = sys.modules.get("threading")
    if threading is None:
        return {}
    return {str(it.native_id): it.name for it in threading.enumerate() if it.native_id}


def graphs():
    """Each living graph with its pool and the variables that lead to it."""
    torch = sys.modules.get("torch")
    cls = getattr(getattr(torch, "cuda", None), "CUDAGraph", None)
    if cls is None:
        return []
    living = [it for it in gc.get_objects() if issubclass(type(it), cls)][:GRAPHS]
    names = variables(living)
    return [{"pool": pool_of(it), "names": names.get(id(it), [])} for it in living]


def pool_of(graph):
    """The pool of a graph; None before its capture."""
    try:
        return [int(part) for part in graph.pool()]
    except Exception:
        return None


def variables(living):
    """The variables that lead to objects, by the objects' ids: of modules, or attributes of objects."""
    owners, containers = {}, {}
    for module in list(sys.modules.values()):
        if type(module) is type(sys):
            owners[id(module.__dict__)] = f"module {module.__name__}"
            for name, value in list(module.__dict__.items()):
                if type(value) in (list, tuple, dict):
                    containers[id(value)] = f"in `{name}` of module {module.__name__}"
    names = {}
    for holder in gc.get_referrers(*living) if living else []:
        for graph in living:
            found = names.setdefault(id(graph), [])
            if len(found) < NAMES:
                found.extend(names_in(holder, graph, owners, containers))
    return names


def names_in(holder, graph, owners, containers):
    """What a holder of a graph calls it."""
    if type(holder) in (list, tuple, dict) and id(holder) not in owners:
        values = list(holder.values()) if type(holder) is dict else holder
        name = containers.get(id(holder))
        return [name] if name and any(it is graph for it in values) else []
    if type(holder) is dict:
        owner, held = owners[id(holder)], holder
    else:
        try:
            held = object.__getattribute__(holder, "__dict__")
        except AttributeError:
            return []
        owner = f"an object of {type(holder).__qualname__}"
    return [f"`{name}` of {owner}" for name, value in list(held.items()) if value is graph]


def memory():
    """What the allocator holds by pool, and by line where it keeps lines."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return None
    if not ASKS_ALLOCATOR:  # noqa: F821 (the command sets it)
        raise RuntimeError("a thread waits in the allocator, so that it is not asked")
    pools, lines = {}, {}
    for segment in snapshot(torch):
        key = tuple(segment.get("segment_pool_id", (0, 0)))
        pool = pools.setdefault(key, {"reserved": 0, "allocated": 0, "pending": 0, "segments": 0})
        pool["segments"] += 1
        pool["reserved"] += segment["total_size"]
        pool["allocated"] += segment["allocated_size"]
        pool["pending"] += segment["active_size"] - segment["allocated_size"]
        for block in segment["blocks"]:
            if block["state"] != "active_allocated":
                continue
            line = line_of(block.get("frames", ()))
            if line is not None:
                known = lines.setdefault(line, [0, 0])
                known[0] += block["size"]
                known[1] += 1
    by_size = sorted(pools.items(), key=lambda it: -it[1]["reserved"])
    largest = sorted(lines.items(), key=lambda it: -it[1][0])
    return {
        "pools": [{"pool": list(key), **pool} for key, pool in by_size[:POOLS]],
        "lines": [
            {"file": file, "line": line, "function": function, "bytes": size, "blocks": blocks}
            for (file, line, function), (size, blocks) in largest[:LINES]
        ],
    }


def snapshot(torch):
    """The allocator's segments, without the history of its calls where that can be left out."""
    try:
        return torch.cuda.memory_snapshot(include_traces=False)
    except TypeError:
        return torch.cuda.memory_snapshot()


def line_of(frames):
    """The innermost frame that is not PyTorch's."""
    for frame in frames:
        if "/torch/" not in frame["filename"] and frame["filename"].endswith(".py"):
            return frame["filename"], frame["line"], frame["name"]
    return None


def groups():
    """The process groups with their backends and members."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return []
    world = distributed.distributed_c10d._world
    told = []
    for group, (backend, _) in list(world.pg_map.items())[:GROUPS]:
        ranks = distributed.get_process_group_ranks(group)
        name = world.pg_names.get(group, "")
        told.append({"name": str(name), "backend": str(backend), "ranks": list(ranks)})
    return told


def collectives():
    """What the flight recorder has of collectives that are not complete, oldest first."""
    if not groups():
        return []
    c10d = sys.modules["torch"]._C._distributed_c10d
    dump = getattr(c10d, "_dump_nccl_trace_json", None)
    if dump is None:
        return []
    entries = json.loads(dump(includeCollectives=True, onlyActive=True)).get("entries", [])
    wanted = ("profiling_name", "state", "collective_seq_id", "process_group", "input_sizes")
    return [{name: it.get(name) for name in wanted} for it in entries[:COLLECTIVES]]


def write():
    """Answers, unless another thread does."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    part = f"{FOLDER}/answer.part"  # noqa: F821 (the command sets it)
    try:
        file = os.open(part, flags, 0o600)
    except FileExistsError:
        return
    with os.fdopen(file, "w") as out:
        json.dump(answer(), out)
    os.rename(part, f"{FOLDER}/answer")  # noqa: F821


write()
