"""Asks PyTorch's allocator again what a program asked of it: as recorded, and with changes.

    python trial.py STEPS RESULT

Both are files of JSON: the runs of a `Trial` of `crates/diagnose`, and what was reserved at each look of each run. Each run
has a process of its own, which begins with PyTorch imported and the allocator unused.
"""

import contextlib
import json
import os
import signal
import sys
import warnings

# Seconds that a run may take, and so may the import.
SECONDS = 60


class Allocator:
    """What the steps of a run have made so far."""

    def __init__(self, torch):
        self._torch = torch
        self._blocks = {}
        self._graphs = {}
        self._streams = {0: torch.cuda.default_stream()}
        self._pools = {}
        # The capture that runs: its graph, its pool and its streams.
        self._capture = None
        self._current = None
        self._failed = []
        self._side = torch.cuda.Stream()
        self.looks = []

    def allocate(self, block, bytes, stream):
        """A block of the size, in the current capture's pool if one runs on the stream."""
        torch = self._torch
        with torch.cuda.stream(self._stream(stream)):
            self._blocks[block] = torch.empty(bytes, dtype=torch.uint8, device="cuda")

    def free(self, block, waits):
        """Drops the last reference to a block."""
        tensor = self._blocks.pop(block, None)
        if waits and tensor is not None:
            tensor.record_stream(self._side)

    def begin(self, capture, pool, streams):
        """Begins a capture, with all of its streams."""
        torch = self._torch
        first, *others = [self._stream(it) for it in streams] or [self._side]
        if pool not in self._pools:
            self._pools[pool] = torch.cuda.graph_pool_handle()
        self._graphs[capture] = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        self._current = torch.cuda.current_stream()
        torch.cuda.set_stream(first)
        self._graphs[capture].capture_begin(pool=self._pools[pool])
        for other in (*others, self._side):
            if other != first:
                other.wait_stream(first)
        self._capture = self._graphs[capture], self._pools[pool], first, others

    def end(self):
        """Ends it."""
        graph, _, first, others = self._capture
        for other in (*others, self._side):
            if other != first:
                first.wait_stream(other)
        graph.capture_end()
        self._torch.cuda.set_stream(self._current)

    def fail(self):
        """Ends it by a call that it refuses."""
        graph, pool, _, _ = self._capture
        for call in (self._torch.cuda.synchronize, graph.capture_end):
            with contextlib.suppress(RuntimeError):
                call()
        self._torch.cuda.set_stream(self._current)
        self._failed.append(pool)

    def release(self):
        """Closes and gives back the pools of captures that failed."""
        extension, device = self._torch._C, self._torch.cuda.current_device()
        for pool in self._failed:
            extension._cuda_endAllocateToPool(device, pool)
            extension._cuda_releasePool(device, pool)
        self._failed.clear()
        self.empty_cache()

    def destroy(self, capture):
        """Drops a graph."""
        self._graphs.pop(capture, None)

    def empty_cache(self):
        """Gives back what can go."""
        self._torch.cuda.empty_cache()

    def look(self):
        """Notes what is reserved."""
        segments = self._torch.cuda.memory_snapshot()
        private = [it for it in segments if tuple(it["segment_pool_id"]) != (0, 0)]
        self.looks.append(
            {
                "all": sum(it["total_size"] for it in segments),
                "of_graphs": sum(it["total_size"] for it in private),
            }
        )

    def _stream(self, number):
        if number not in self._streams:
            self._streams[number] = self._torch.cuda.Stream()
        return self._streams[number]


def looks_of(torch, run):
    """What a run sees."""
    if run["settings"]:
        torch.cuda.memory._set_allocator_settings(run["settings"])
    allocator = Allocator(torch)
    for step in run["steps"]:
        getattr(allocator, step.pop("do"))(**step)
    return allocator.looks


def in_a_process_of_its_own(torch, run):
    """What a run sees; None if it fails."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        looks = None
        try:
            looks = looks_of(torch, run)
        finally:
            with os.fdopen(writer, "w") as file:
                json.dump(looks, file)
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        text = file.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def main(steps, result):
    """Runs a trial."""
    # The result is for its user alone.
    os.umask(0o077)
    signal.alarm(SECONDS)
    warnings.simplefilter("ignore")
    import torch

    signal.alarm(0)
    with open(steps) as file:
        runs = json.load(file)["runs"]
    looks = [in_a_process_of_its_own(torch, run) for run in runs]
    with open(result, "w") as file:
        json.dump(looks, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
