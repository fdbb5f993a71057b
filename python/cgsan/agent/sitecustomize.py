"""What an interpreter runs first under `cgsan run`.

It leaves two entries in `sys.meta_path` and, once `subprocess` is there, a function that starts processes. The path entry that
led here is taken out again, and the program's own sitecustomize runs, or is missing, as it would be without cgsan.

Every Python process of the program comes by here, also those that have nothing to do with PyTorch,
and be they of Python 2. So this file is small and in the syntax of all of them; the rest is loaded
when PyTorch is.
"""

import os
import sys

# Any of these may lead to CUDA. Of PyTorch's modules, the first is looked for when its own extension is
# loaded, the second when most of `torch.cuda` is, the third before `torch.compile` first speaks of captures, the fourth when
# process groups can be made. The next binds to the CUDA runtime that `cuda.bindings` brings, and the one behind it is looked for when
# numba can link kernels. The last three are looked for when `torch.compile` can split a function, and when Triton and it can launch
# kernels.
LIBRARIES = ("torch", "cupy", "cuda", "numba", "triton", "warp")
PARTS = (
    "torch.cuda.graphs",
    "torch.cuda.nvtx",
    "torch._inductor.cudagraph_utils",
    "torch.distributed.distributed_c10d",
    "cuda.bindings.cyruntime",
    "numba.cuda.descriptor",
    "torch._inductor.lowering",
    "triton.testing",
    "torch._inductor.graph",
)
WATCHED = frozenset(LIBRARIES + PARTS)
# What starts processes.
STARTERS = frozenset(("subprocess", "multiprocessing.util"))


class Watcher(object):  # noqa: UP004
    """A finder that notices what is about to be imported and never finds anything itself."""

    def __init__(self, directory):
        self.directory = directory
        self.agent = None
        self.busy = False
        self.sees_children = False

    def find_spec(self, name, path=None, target=None):
        if name in WATCHED and not self.busy:
            self.busy = True
            try:
                if self.agent is None:
                    self.agent = load_agent(self.directory)
                self.agent.about_to_import(name, self)
            except Exception as error:
                tell_of_failure(self.directory, error)  # The program goes on unwatched.
            finally:
                self.busy = False
        elif name in STARTERS:
            self.see_children()

    def see_children(self):
        """Watches what starts processes, before it is imported by whoever uses it."""
        if self.sees_children:
            return
        self.sees_children = True
        try:
            file = os.path.join(self.directory, "children.py")
            with open(file) as source:
                code = compile(source.read(), file, "exec")
            scope = {"__name__": "cgsan_children"}
            exec(code, scope)
            scope["watch"](self.directory)
        except Exception:
            pass  # Children go on unwatched.


class Package(object):  # noqa: UP004
    """A finder of the package `cgsan`, for a program that asks for it and has none installed."""

    def __init__(self, directory):
        self.directory = directory

    def find_spec(self, name, path=None, target=None):
        if name != "cgsan":
            return None
        from importlib.machinery import PathFinder
        from importlib.util import spec_from_file_location

        found = PathFinder.find_spec(name, path)
        # Any folder of that name, such as one of cgsan's source, would do as a package without content.
        if found is not None and found.origin is not None:
            return found
        file = os.path.join(self.directory, name, "__init__.py")
        return spec_from_file_location(
            name, file, submodule_search_locations=[os.path.dirname(file)]
        )


def load_agent(directory):
    from importlib.machinery import SourceFileLoader
    from importlib.util import module_from_spec, spec_from_file_location

    name = "cgsan_agent"
    package = os.path.join(directory, name)
    file = os.path.join(package, "__init__.py")
    spec = spec_from_file_location(
        name,
        file,
        loader=SourceFileLoader(name, file),
        submodule_search_locations=[package],
    )
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def tell_of_failure(directory, error):
    """Leaves a note for the command that the agent failed, as `cgsan_agent.status` does of what it knows."""
    try:
        import json

        status = {
            "pid": os.getpid(),
            "state": "agent_failed",
            "detail": "%s: %s" % (type(error).__name__, error),  # noqa: UP031
            "python": ".".join(map(str, sys.version_info[:3])),
            "torch": "",
        }
        path = os.path.join(os.path.dirname(directory), "status-%d-failed.json" % os.getpid())  # noqa: UP031
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(file, json.dumps(status).encode("ascii"))
        os.close(file)
    except Exception:
        pass  # The first failure was told of, or nothing can be.


def install(directory):
    run_directory = os.path.dirname(directory)
    # An empty file tells the command that a Python came by, even if PyTorch never does; or that a
    # cgsan within the program watches it. The folder is gone if it is left over from another run.
    ours = os.environ.get("CGSAN_RUN_DIRECTORY") == run_directory
    seen = os.path.join(run_directory, "python-seen" if ours else "cgsan-seen")
    os.close(os.open(seen, os.O_WRONLY | os.O_CREAT, 0o600))
    if not ours:
        return
    if sys.version_info >= (3, 4):  # noqa: UP036  (older ones do not know `find_spec`)
        sys.meta_path[:0] = [Watcher(directory), Package(os.path.join(run_directory, "library"))]
        if not STARTERS.isdisjoint(sys.modules):
            sys.meta_path[0].see_children()


def leave_no_trace(directory):
    sys.path[:] = [entry for entry in sys.path if entry != directory]
    sys.path_importer_cache.pop(directory, None)
    del sys.modules["sitecustomize"]


# `cgsan.watch()` loads this file under another name.
if __name__ == "sitecustomize":
    here = os.path.dirname(os.path.abspath(__file__))
    try:  # noqa: SIM105  (contextlib would have to be imported)
        install(here)
    except Exception:
        pass
    leave_no_trace(here)

    # Where the program has none, this raises what `site` expects where there is no sitecustomize.
    import sitecustomize  # noqa: F401
