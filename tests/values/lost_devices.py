"""Cases after which the device is lost: each runs in a process of its own."""

import os
import sys
import traceback


def raised(function):
    """What a call raises, with its type."""
    try:
        function()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


def in_a_process(check, case):
    """Whether it is as on a GPU, in a child that is the first to use CUDA."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 0
    status = 1
    try:
        check(case)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def all_as_on_a_gpu(checks):
    """Runs pairs of a check and its case, and says that all are right."""
    wrong = [case for check, case in checks if not in_a_process(check, case)]
    assert not wrong, wrong
    print("as on a GPU")
