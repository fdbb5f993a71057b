"""Ray: a task for each item. Ray starts a task again whose worker or machine has gone."""

import os
from itertools import islice

from ..missing import package

# How often a task is started again.
RETRIES = 4
# Tasks for each CPU that were given to Ray and have not come back: what they give is in memory until it is taken.
AHEAD = 4


def results(work, items, workers=None, address=None):
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
        items = iter(items)
        waiting = [task.remote(item) for item in islice(items, AHEAD * most)]
        while waiting:
            done, waiting = ray.wait(waiting)
            waiting += [task.remote(item) for item in islice(items, len(done))]
            yield from ray.get(done)
    finally:
        if mine:
            ray.shutdown()
