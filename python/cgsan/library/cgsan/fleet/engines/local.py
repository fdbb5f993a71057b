"""This machine alone: threads, each of which waits for a process of the command."""

import os
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import islice


def results(work, items, workers=None, address=None):
    """See the package. There is no address."""
    workers = workers or len(os.sched_getaffinity(0))
    items = iter(items)
    with ThreadPoolExecutor(workers) as pool:
        # A few wait, so that no worker does. Not all: what has come back and was not taken is in memory.
        waiting = {pool.submit(work, item) for item in islice(items, 2 * workers)}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            waiting |= {pool.submit(work, item) for item in islice(items, len(done))}
            for one in done:
                yield one.result()
