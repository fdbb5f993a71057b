"""Runs programs one after the other, each in a process of its own that begins with PyTorch imported: most of a small
program's time is that import.

    python together.py FOLDER PROGRAM...

Leaves what the program with number N printed in FOLDER/N.out and FOLDER/N.err, and its process and exit status in FOLDER/N.end.
"""

import gc
import os
import sys

import torch  # noqa: F401


def started(folder, programs):
    """Goes through the programs in the first process; returns the next program in a new one, and none at the end."""
    for number, program in enumerate(programs):
        child = os.fork()
        if child == 0:
            for descriptor, ending in ((1, "out"), (2, "err")):
                mode = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
                os.dup2(os.open(f"{folder}/{number}.{ending}", mode), descriptor)
            return program
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with open(f"{folder}/{number}.end", "w") as file:
            file.write(f"{child} {status}")
    return None


def run(program, names):
    """Runs a program with these names, which are all that it sees."""
    sys.argv = [program]
    sys.path[0] = os.path.dirname(program)
    with open(program, "rb") as file:
        code = compile(file.read(), program, "exec")
    names.update(__file__=program, __doc__=None)
    for name in [it for it in names if not it.startswith("__")]:
        del names[name]
    exec(code, names)


# The names of the main module live until Python ends, as those of any script.
# What PyTorch has made is not looked through again by every program's collections.
gc.collect()
gc.freeze()
if (chosen := started(sys.argv[1], sys.argv[2:])) is not None:
    run(chosen, globals())
