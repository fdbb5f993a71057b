"""Process groups: when they are made, shut down, or left at the end, and the graphs that are alive then."""

import contextlib
import ctypes
import sys
import threading

from . import announced, hooks, ranks

# Where an object that pybind11 made keeps the address of the C++ object: behind the head of every Python object.
ADDRESS = object.__basicsize__
# What PyTorch calls on a new group next once it has its name (`_new_process_group_helper`).
NAMED = "_set_group_desc"


class Groups:
    """The process groups of this process, each with a number. None is kept alive."""

    def __init__(self, recorder):
        self._recorder = recorder
        self._numbers = {}
        self._made = 0
        self._exiting = False
        # Called when the last line of the program has run, before what `atexit` has to call.
        with contextlib.suppress(Exception):
            threading._register_atexit(self._program_ends)

    def created(self, group):
        """Tells of a new group."""
        with contextlib.suppress(Exception):
            self._made += 1
            self._numbers[group.group_name] = self._made
            event = {"event": "group_created", "group": self._made, "name": group.group_name}
            where = {"address": _address(group), "rank": group.rank(), "size": group.size()}
            self._recorder.event({**event, **where})
            if self._made == 1 and ranks.describe() is None:
                # The default group, which has all ranks; a launcher need not set the environment.
                rank = {"rank": group.rank(), "world_size": group.size()}
                self._recorder.event({"event": "rank", **rank})

    def ends(self, group):
        """Tells of a group that is about to be shut down."""
        number = self._numbers.pop(group.group_name, None)
        if number is not None:
            graphs = hooks.living_graphs()
            event = {"event": "group_destroyed", "group": number, "exiting": self._exiting}
            self._recorder.event({**event, "graphs": graphs})

    def aborted(self, group):
        """Forgets a group: an abort lets go of what its collectives wait for."""
        self._numbers.pop(group.group_name, None)

    def left(self):
        """Tells of the groups that are left when the program has ended."""
        if self._numbers:
            groups = list(self._numbers.values())
            graphs = hooks.living_graphs()
            self._recorder.event({"event": "groups_left", "groups": groups, "graphs": graphs})

    def _program_ends(self):
        self._exiting = True


_groups = None


def listen(recorder):
    """Listens to process groups, once PyTorch is about to import what makes them."""
    global _groups
    extension = sys.modules.get("torch._C._distributed_c10d")
    kind = getattr(extension, "ProcessGroup", None)
    if _groups is None and isinstance(kind, type):
        _groups = Groups(recorder)
        announced.announce_calls(kind, NAMED, _groups.created)
        announced.announce_calls(kind, "shutdown", _groups.ends)
        announced.announce_calls(kind, "abort", _groups.aborted)
        backend = getattr(extension, "ProcessGroupNCCL", None)
        if not hasattr(kind, "shutdown") and isinstance(backend, type):
            # Before PyTorch 2.7, what is shut down is the group's backend, whose options have the group's name.
            announced.announce_calls(backend, "_shutdown", lambda it: _groups.ends(it.options))
            announced.announce_calls(backend, "abort", lambda it: _groups.aborted(it.options))


def program_ends():
    """Tells what is left of process groups when the program has ended."""
    if _groups is not None:
        _groups.left()


def _address(group):
    return ctypes.c_void_p.from_address(id(group) + ADDRESS).value or 0
