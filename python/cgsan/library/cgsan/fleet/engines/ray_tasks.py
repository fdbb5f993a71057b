"""Ray: a task for each item. Ray starts a task again whose worker or machine has gone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from ..missing import package
from . import Item, Result

# How often a task is started again.
RETRIES = 4
# Tasks for each CPU that were given to Ray and have not come back: what they give is in memory until it is taken.
AHEAD = 4


def results(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    workers: int | None = None,
    address: str | None = None,
) -> Iterator[Result]:
    """See the package. `address` is that of a cluster; without one, Ray is started here with so many workers."""
    # A cluster that is started here is this program's own.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray = package("ray")
    mine = not ray.is_initialized()
    if mine and address:
        ray.init(address=address, log_to_driver=False)
    elif mine:
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    try:
        task = ray.remote(num_cpus=1, max_retries=RETRIES)(lambda item: work(item))
        most = workers or int(ray.cluster_resources().get("CPU", 1))
        left = iter(items)
        waiting = [task.remote(item) for item in islice(left, AHEAD * most)]
        while waiting:
            done, waiting = ray.wait(waiting)
            waiting += [task.remote(item) for item in islice(left, len(done))]
            yield from ray.get(done)
    finally:
        if mine:
            ray.shutdown()
