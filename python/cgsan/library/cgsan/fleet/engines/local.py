"""This machine alone: threads, each of which waits for a process of the command."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import islice

from . import Item, Result


def results(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    workers: int | None = None,
    address: str | None = None,
) -> Iterator[Result]:
    """See the package. There is no address."""
    workers = workers or len(os.sched_getaffinity(0))
    left = iter(items)
    with ThreadPoolExecutor(workers) as pool:
        # A few wait, so that no worker does. Not all: what has come back and was not taken is in memory.
        waiting = {pool.submit(work, item) for item in islice(left, 2 * workers)}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            waiting |= {pool.submit(work, item) for item in islice(left, len(done))}
            for one in done:
                yield one.result()
