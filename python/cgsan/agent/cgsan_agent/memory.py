"""What PyTorch's allocator holds, by its own account, at the moments where the memory of graphs changes.

Its snapshot is asked for around captures (of all pools if there are few blocks, else of the graph's own pool), when the
program ends, and before a sampled replay if the reserved memory has changed. Only what differs from the last one is told,
so that many blocks cost little.
"""

import contextlib
import gc
import sys

from . import torch_version

# Blocks that a snapshot may go through: near captures, where it may take a few milliseconds, and at the end.
BLOCKS = 1_000
BLOCKS_AT_END = 200_000

EAGER = (0, 0)


class Memory:
    """Asks the allocator, and tells the recorder."""

    def __init__(self, recorder):
        self._recorder = recorder
        # The segments of the last snapshot by device and address: size, pool and stream.
        self._segments = {}
        self._reserved = None

    def look(self, moment, blocks=BLOCKS):
        """Tells what the allocator holds now, a moment as the trace names it."""
        with contextlib.suppress(Exception):
            self._tell(moment, _statistics(), blocks)

    def capture_ends(self):
        """Tells what it holds when a capture is about to end. False if there are too many blocks for that."""
        devices = _statistics()
        if sum(it.blocks for it in devices) > BLOCKS:
            return False
        self._tell("capture_ends", devices, BLOCKS)
        return True

    def capture_ended(self, pool):
        """Tells what it holds in a graph's pool, right after the capture."""
        devices = _statistics()
        self._reserved = _reserved(devices)
        event = _event("capture_ends", devices)
        with _without_collections():
            self._add_blocks(event, *_snapshot(pool), only=pool)
        self._recorder.event(event)

    def look_if_changed(self, moment):
        """The same, if it has got memory from the driver or given some back."""
        with contextlib.suppress(Exception):
            devices = _statistics()
            if _reserved(devices) != self._reserved:
                self._tell(moment, devices, BLOCKS)

    def program_ends(self):
        """Tells what it holds in the end."""
        self.look("program_ends", BLOCKS_AT_END)

    def _tell(self, moment, devices, most):
        self._reserved = _reserved(devices)
        event = _event(moment, devices)
        if sum(it.blocks for it in devices) <= most:
            with _without_collections():
                self._add_blocks(event, *_snapshot(EAGER))
        self._recorder.event(event)

    def _add_blocks(self, event, segments, settings, only=None):
        pools = {}
        now = {}
        for segment in segments:
            key = segment["device"], segment["address"]
            pool = tuple(segment.get("segment_pool_id", EAGER))
            now[key] = segment["total_size"], pool, segment["stream"]
            if self._segments.get(key) != now[key]:
                event["segments"].append(_described(key, now[key]))
            if (segment["device"], pool) not in pools:
                pools[segment["device"], pool] = Pool(segment["device"], pool)
            pools[segment["device"], pool].add(segment, event["pending"])
        event["pools"] = [vars(pool) for _, pool in sorted(pools.items())]
        known = self._segments.items()
        gone = [key for key, (_, pool, _) in known if key not in now and only in (None, pool)]
        for key in gone:
            del self._segments[key]
        event["gone"] = [address for _, address in gone]
        event["settings"] = settings
        event["only"] = only
        self._segments.update(now)


class Pool:
    """The sums of a pool; the names are those of the trace."""

    def __init__(self, device, pool):
        self.device = device
        self.pool = pool
        self.segments = 0
        self.reserved = 0
        self.allocated = 0
        self.pending = 0
        self.split = 0
        self.largest = 0

    def add(self, segment, pending):
        """Adds a segment. Its blocks that wait for another stream are added to `pending`."""
        self.segments += 1
        self.reserved += segment["total_size"]
        self.allocated += segment["allocated_size"]
        blocks = segment["blocks"]
        for block in blocks:
            size, state = block["size"], block["state"]
            if state == "inactive":
                self.largest = max(self.largest, size)
                if len(blocks) > 1:
                    self.split += size
            elif state != "active_allocated":
                self.pending += size
                pending.append((block["address"], size))


class Device:
    """What the statistics say of a device."""

    def __init__(self, device, statistics):
        def now(name, which="current"):
            return statistics[name]["all"][which]

        self.told = {
            "device": device,
            "allocated": now("allocated_bytes"),
            "active": now("active_bytes"),
            "reserved": now("reserved_bytes"),
            "reserved_peak": now("reserved_bytes", "peak"),
            "split": now("inactive_split_bytes"),
            "ooms": statistics["num_ooms"],
        }
        self.blocks = now("active") + now("inactive_split")


def _statistics():
    """What the native allocator's statistics say; another one asks CUDA for them, which a capture may forbid."""
    extension = sys.modules["torch"]._C
    if extension._cuda_getAllocatorBackend() != "native":
        raise LookupError("another allocator")
    devices = range(extension._cuda_getDeviceCount())
    of_devices = (Device(device, extension._cuda_memoryStats(device)) for device in devices)
    return [it for it in of_devices if it.told["reserved_peak"]]


def _reserved(devices):
    return [(it.told["device"], it.told["reserved"]) for it in devices]


def _event(moment, devices):
    return {
        "event": "memory",
        "moment": moment,
        "devices": [it.told for it in devices],
        "pools": None,
        "segments": [],
        "gone": [],
        "pending": [],
        "settings": None,
        "only": None,
    }


def _snapshot(pool):
    """The segments of a pool, or of all where that of eager work is asked for, with their blocks, and the options."""
    torch = sys.modules["torch"]
    function = torch._C._cuda_memorySnapshot
    version = torch_version.running(torch)
    # An argument that a version does not know raises an error inside PyTorch, which would be recorded.
    if version >= (2, 11):
        snapshot = function((*pool, False))  # without history
    elif version >= (2, 8):
        snapshot = function(pool)
    elif pool == EAGER:
        snapshot = function()
    else:
        raise LookupError("no snapshot of a pool alone")
    settings = snapshot.get("allocator_settings", {})
    return snapshot["segments"], settings.get("PYTORCH_CUDA_ALLOC_CONF") or ""


def _described(key, of_segment):
    (device, address), (size, pool, stream) = key, of_segment
    return {"device": device, "address": address, "bytes": size, "pool": pool, "stream": stream}


@contextlib.contextmanager
def _without_collections():
    """Many small objects are made, and none of them is garbage."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
