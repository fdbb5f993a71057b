"""Runs programs one after the other, each in a process of its own that begins with PyTorch imported: most of a small program's
time is that import, what cgsan imports for the first capture, and the end of an interpreter that has all of it.

    python together.py FOLDER PROGRAM...

Leaves what the program with number N printed in FOLDER/N.out and FOLDER/N.err, and its process and exit status in FOLDER/N.end.
"""

import atexit
import contextlib
import gc
import importlib
import os
import sys

# A program with one of these imports PyTorch's compiler, which takes longer than all else of it.
OF_THE_COMPILER = (b"optim.", b"checkpoint", b"torch.compile", b"make_fx")


class End:
    """Ends a program's process once all that Python does at its end before it takes modules apart is done: with PyTorch
    imported, that takes as long as the program. It refers to nothing of the program's, and reads nothing by `vars`: this file is
    code of the program's, which rules look through."""

    def __init__(self, folder):
        self.imported = f"{folder}/imported"
        self.is_awaited = False
        self.status = 0
        atexit.register(self)  # Before all others, so it is called as the last.

    def __call__(self):
        # What this file has imported is not among the names of the main module any more.
        import gc
        import os
        import sys

        if not self.is_awaited:
            return
        with open(self.imported, "w") as file:
            file.write("\n".join(name for name in sys.modules if name.startswith("cgsan_agent.")))
        sys.last_type = sys.last_value = sys.last_traceback = None
        globals().clear()
        gc.collect()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(self.status)


end = End(sys.argv[1])
import torch  # noqa: E402, F401


def settle():
    """What is imported is not looked through again by every program's collections."""
    gc.collect()
    gc.freeze()


def import_for_the_next(imported):
    """Imports for the next programs what cgsan has imported for the last."""
    with contextlib.suppress(FileNotFoundError), open(imported) as file:
        news = [name for name in file.read().split() if name not in sys.modules]
        for name in news:
            importlib.import_module(name)
        if news:
            settle()


def imports_the_compiler(program):
    with open(program, "rb") as file:
        text = file.read()
    return any(it in text for it in OF_THE_COMPILER)


def in_order(programs):
    """The programs with their numbers, those that import PyTorch's compiler behind the others, once it is imported."""
    numbered = list(enumerate(programs))
    of_the_compiler = [it for it in numbered if imports_the_compiler(it[1])]
    yield from (it for it in numbered if it not in of_the_compiler)
    if len(of_the_compiler) > 1:
        importlib.import_module("torch._dynamo")
        settle()
    yield from of_the_compiler


def started(folder, programs):
    """Goes through the programs in the first process; returns the next program in a new one, and none at the end."""
    for number, program in in_order(programs):
        child = os.fork()
        if child == 0:
            for descriptor, ending in ((1, "out"), (2, "err")):
                mode = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
                os.dup2(os.open(f"{folder}/{number}.{ending}", mode), descriptor)
            return program
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with open(f"{folder}/{number}.end", "w") as file:
            file.write(f"{child} {status}")
        import_for_the_next(end.imported)
    return None


def run(program, names, end):
    """Runs a program with these names, which are all that it sees."""
    sys.argv = [program]
    sys.path[0] = os.path.dirname(program)
    with open(program, "rb") as file:
        code = compile(file.read(), program, "exec")
    names.update(__file__=program, __doc__=None)
    for name in [it for it in names if not it.startswith("__")]:
        del names[name]
    end.is_awaited = True
    try:
        exec(code, names)
    except SystemExit as error:
        number = 0 if error.code is None else error.code
        end.status = number & 0xFF if isinstance(number, int) else 1
        raise
    except KeyboardInterrupt:
        end.is_awaited = False  # Python ends by the signal.
        raise
    except BaseException:
        end.status = 1
        raise


# The names of the main module live until the program ends, as those of any script.
settle()
if (chosen := started(sys.argv[1], sys.argv[2:])) is not None:
    run(chosen, globals(), end)
