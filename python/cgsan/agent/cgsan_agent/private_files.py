"""Files of the run, which nobody but its user may read."""

import os


def opener(path, flags):
    """For `open`: a file that is made is for its user alone, whatever the process's mask is."""
    descriptor = os.open(path, flags, 0o600)
    os.fchmod(descriptor, 0o600)
    return descriptor
