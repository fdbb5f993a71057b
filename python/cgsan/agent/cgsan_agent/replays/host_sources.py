"""What the host wrote between two replays into pinned memory that captured copies read."""

import ctypes

from . import storages

# Bytes that are compared of one storage: numbers by which the host steers a step are few.
MOST = 1 << 16
# Bytes that are told of one storage.
MANY = 64


class HostSources:
    """What lay in the sources of one graph's copies at the last replay that was looked at."""

    def __init__(self):
        self._replay = 0
        self._contents = {}

    def sample(self, tensors, held, replay):
        """Where something else lies than at the replay right before: addresses, and how many bytes.

        `held` has pairs of a named place and the tensor that is there now, whose memory is there as long as it is.
        """
        before = self._contents if replay == self._replay + 1 else {}
        self._replay = replay
        self._contents = {}
        for entry, tensor in held:
            if entry.kind == storages.HOST and tensors.storage(tensor) == entry.address:
                size = min(tensor.untyped_storage().nbytes(), MOST)
                self._contents[entry.address] = ctypes.string_at(entry.address, size)
        changed = []
        for address, now in self._contents.items():
            then = before.get(address, now)
            if then != now and len(then) == len(now):
                differs = [place for place, byte in enumerate(now) if byte != then[place]]
                changed += [(address + place, 1) for place in differs[:MANY]]
        return changed
