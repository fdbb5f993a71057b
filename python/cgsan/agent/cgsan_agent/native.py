"""The way to the recorder, which lives in the library of the virtual GPU or of the real one's watcher."""

import ctypes
import functools
import os
import sys
import threading

from . import interpreter, perf, written

# Events that say nothing of a graph.
BESIDE_GRAPHS = frozenset(
    (
        "rank",
        "part_begins",
        "parts_told",
        "group_created",
        "compiled",
        "not_computed",
        "device_failed",
        "cell",
    )
)
# Storages of a capture that are asked for.
STORAGES = 16_384


class _Storage(ctypes.Structure):
    _fields_ = (
        ("address", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
        ("kind", ctypes.c_uint32),
        ("pad", ctypes.c_uint32),
    )


class _Marking(ctypes.Structure):
    """Elements that are marked by what threads draw for them."""

    _fields_ = (
        ("marks", ctypes.c_void_p),
        ("source", ctypes.c_void_p),
        ("output", ctypes.c_void_p),
        ("elements", ctypes.c_size_t),
        ("seed", ctypes.c_uint64),
        ("draw", ctypes.c_uint64),
        ("threads", ctypes.c_size_t),
        ("at_once", ctypes.c_size_t),
        ("skipped", ctypes.c_size_t),
        ("bound", ctypes.c_uint64),
        ("factor", ctypes.c_float),
        ("is_turned", ctypes.c_uint32),
    )


class _Word(ctypes.Structure):
    """What a kernel is given."""

    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("does", ctypes.c_uint32),
        ("bits", ctypes.c_uint64),
        ("field", ctypes.c_uint32),
        ("parameter", ctypes.c_uint32),
    )

    def value(self):
        """A number, a pair of an address and of whether the kernel certainly writes there, or None for anything else. Of what lies in a
        structure: which parameter that is, the first byte there, and the number, or bytes that may be one or not."""
        if self.kind == 3:
            return self.bits, bool(self.does & 2)
        if self.kind == 4:
            return self.parameter, self.field - 1, self.bits.to_bytes(8, sys.byteorder)
        number = self._number()
        return (self.parameter, self.field - 1, number) if self.field else number

    def _number(self):
        if self.kind == 1:
            return ctypes.c_int64(self.bits).value
        if self.kind == 2:
            return repr(ctypes.c_double.from_buffer_copy(ctypes.c_uint64(self.bits)).value)
        return None


# What is told of a launch: a name, the sizes of its grid and its blocks, and what the kernel is given.
_LAUNCHED = ctypes.CFUNCTYPE(
    None,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_uint32 * 6),
    ctypes.POINTER(_Word),
    ctypes.c_size_t,
)


class Recorder:
    """The library, once loaded.

    Its functions are called with the GIL held, so that no other thread gets a turn; in a Python without it they have turns, and
    the library keeps what it shares behind locks of its own.
    """

    def __init__(self):
        self._library = None
        # Whether the virtual GPU serves the program.
        self.is_virtual = False
        # How many events were recorded that say something of graphs.
        self._of_graphs = 0

    def start(self, status):
        """Starts it, and the virtual GPU if that serves the program. Returns a state for the status file, and a detail or None."""
        path = os.environ["CGSAN_LIBRARY"]
        try:
            loaded = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
            self._library = ctypes.PyDLL(path, handle=loaded._handle)
            # Set once: it is called for each launch of a kernel.
            self._library.cgsan_kernel_begins.restype = ctypes.c_uint64
            code = self._library.cgsan_start(_json(_configuration(status)))
            if code != 0:
                return "start_failed", f"code {code}"
            for stub in _stubs():
                ctypes.CDLL(stub, mode=ctypes.RTLD_GLOBAL)
                self.is_virtual = True
            if self.is_virtual:
                self._library.cgsan_stand_in_for_runtimes()
        except (OSError, AttributeError) as error:
            return "load_failed", str(error)
        return "started", None

    def event(self, event):
        """Records what the agent saw, a dictionary in the form of the trace's `AgentEvent`."""
        self._of_graphs += event["event"] not in BESIDE_GRAPHS
        self._library.cgsan_agent_event(_json(event))

    def graph_work(self):
        """A number that has changed if anything happened meanwhile that a rule may judge."""
        self._library.cgsan_graph_work.restype = ctypes.c_uint64
        return self._library.cgsan_graph_work() + self._of_graphs

    def announce_capture(self):
        """Says that a capture is about to begin: on a real GPU, calls may not be watched just now."""
        self._call_if_there("cgsan_capture_announced")

    def keep_watching(self):
        """Says that captures may begin from now on without an announcement."""
        self._call_if_there("cgsan_keep_watching")

    def capture_storages(self):
        """The storages of the last capture that this thread ended: triples of address, bytes and kind."""
        if not hasattr(self._library, "cgsan_capture_storages"):
            return []
        function = self._library.cgsan_capture_storages
        function.restype = ctypes.c_uint64
        storages = (_Storage * STORAGES)()
        count = function(storages, ctypes.c_uint64(STORAGES))
        return [(it.address, it.bytes, it.kind) for it in storages[: min(count, STORAGES)]]

    def call_at_replays(self, callback):
        """Has `callback`, a function of C, called at the replays to look at; None ends that. Whether the library does so."""
        if not hasattr(self._library, "cgsan_call_at_replays"):
            return False
        self._library.cgsan_call_at_replays(callback)
        return True

    def function_of_runtime(self, name):
        """The address of the virtual GPU's own function of the CUDA runtime, or None."""
        function = getattr(self._library, name, None)
        return function and ctypes.cast(function, ctypes.c_void_p).value

    def runtime_agrees(self, version):
        """Whether the virtual GPU lays structures out as a CUDA runtime of this version does."""
        return self._library.cgsan_runtime_agrees(version) == 1

    def _call_if_there(self, function):
        # The virtual GPU serves all calls, and has no need of these.
        if hasattr(self._library, function):
            getattr(self._library, function)()

    def probe_operators(self, known):
        """Begins to learn how operators are handed over, from facts on the next ones. Whether that is possible."""
        return self._library.cgsan_operators_probe(_json(known)) == 1

    def operators_ready(self):
        """Ends that. Operators are recorded from now on, or the trace says why not."""
        self._library.cgsan_operators_ready()

    def takes_kernels(self):
        """Whether launches of kernels are recorded just now."""
        return self._library.cgsan_takes_kernels() == 1

    def kernel_begins(self, launch):
        """Says that a kernel is about to be launched, in JSON. Returns a number for its end; 0 if it is not recorded."""
        return self._library.cgsan_kernel_begins(launch.encode())

    def kernel_ends(self, number, accesses):
        """Says that it was launched, and what it does through each of its pointers, a byte each; None where that is not known."""
        count = len(accesses) if accesses is not None else 0
        self._library.cgsan_kernel_ends(ctypes.c_uint64(number), accesses, ctypes.c_uint64(count))

    def kernel_gave(self, number, results):
        """Says that it was launched, and which tensors it gave, in JSON; it reads those that it was given."""
        self._library.cgsan_kernel_gave(ctypes.c_uint64(number), results.encode())

    def follow_launches(self, told):
        """In a child that runs a region again: has a function told of each kernel that is launched, by its name, the words that it is
        given, and the sizes of its grid and its blocks. Returns a function that stops that, and one that goes on with it."""
        follow = getattr(self._library, "cgsan_follow_launches", None)
        if follow is None:
            return None

        def launched(name, shape, words, count):
            given = tuple(words[place].value() for place in range(count))
            told(name.decode(errors="replace"), given, tuple(shape.contents))

        self._launched = _LAUNCHED(launched)
        follow(self._launched)
        return functools.partial(follow, None), functools.partial(follow, self._launched)

    def tell_reads(self, storage, output):
        """Has it recorded when an operator is given this storage of PyTorch's, which is the output of that number; not any more if
        that is 0."""
        self._library.cgsan_tell_reads(ctypes.c_uint64(storage), ctypes.c_uint64(output))

    def in_capture(self, stream):
        """Whether a stream of the virtual GPU captures."""
        return self._library.cgsan_values_in_capture(ctypes.c_uint64(stream)) == 1

    def compute_with(self, functions, wants_all):
        """Has operators computed by functions, which live as long as the process. Whether that is possible."""
        objects = (ctypes.py_object(it) for it in functions)
        return self._library.cgsan_values_compute_with(*objects, int(wants_all)) == 1

    def leave_operators_unrecorded(self, leave):
        """Has operators recorded no longer, or again."""
        self._library.cgsan_operators_unrecorded(int(leave))

    def values_begin(self):
        """Says that a kernel begins to be launched that the caller computes."""
        self._library.cgsan_values_begin()

    def values_end(self):
        """Says that it was launched. Returns when its values are computed."""
        return self._library.cgsan_values_end()

    def values_later(self, function):
        """Says what computes the values of the kernel that was just launched, when it is called. Returns the capture that it was
        recorded in, if that is at replays."""
        capture = ctypes.c_uint64()
        self._library.cgsan_values_later(ctypes.py_object(function), ctypes.byref(capture))
        return capture.value

    def values_at_launches(self, capture, function):
        """Has a function called before each launch of what a capture records."""
        self._library.cgsan_values_at_launches(ctypes.c_uint64(capture), ctypes.py_object(function))

    def values_fail(self, code):
        """Says that a kernel fails, after which the device is lost and calls return this code. Whether it was not lost before."""
        return self._library.cgsan_values_fail(ctypes.c_int(code)) == 1

    def kernels_not_computed(self):
        """How many kernels were launched so far that no operator launched, and that nobody computes."""
        return self._library.cgsan_values_missing()

    def random_numbers(self, numbers, seed, draw, threads, rounds):
        """Fills a tensor of 64-bit integers with what a range of threads draws, so many draws after the generator's first, which goes
        so many rounds."""
        self._library.cgsan_values_random(
            ctypes.c_void_p(numbers.data_ptr()),
            ctypes.c_size_t(numbers.numel()),
            ctypes.c_uint64(seed),
            ctypes.c_uint64(draw),
            ctypes.c_uint64(threads.start),
            ctypes.c_uint64(len(threads)),
            ctypes.c_uint32(rounds),
        )

    def mark(self, **marking):
        """Marks elements by what threads draw for them, as the fields of a `_Marking` say."""
        self._library.cgsan_values_mark(ctypes.byref(_Marking(**marking)))

    def place_of(self, address):
        """Whether an address lies in memory of the GPU (1), in pinned memory of the host (2), or in neither (0)."""
        return self._library.cgsan_values_place(ctypes.c_uint64(address), None)

    def memory_at(self, address):
        """Where the memory of the GPU, or pinned memory, begins and ends in which an address lies; None if it lies in neither."""
        ends = (ctypes.c_uint64 * 2)()
        place = self._library.cgsan_values_place(ctypes.c_uint64(address), ends)
        return tuple(ends) if place else None

    def keep_in_copies(self, keep):
        """Has copies of this process find in memory of the GPU what lies there once all work is done, or zeros again."""
        self._library.cgsan_values_in_copies(int(keep))

    def can_clone(self):
        """Whether there may be children that can do nothing to the world."""
        return interpreter.has_gil() and hasattr(self._library, "cgsan_sealed_clone")

    def sealed_clone(self, report, memory, seconds):
        """Makes a child that can do nothing to the world but write to the file `report`, its descriptor 3: 0 in the child, its
        number or an error below 0 in this process. It gets so many bytes of memory more, and so many seconds of a CPU."""
        function = self._library.cgsan_sealed_clone
        function.restype = ctypes.c_int64
        return function(ctypes.c_int(report), ctypes.c_uint64(memory), ctypes.c_uint32(seconds))

    def sealed_watch(self, child, seconds):
        """Has such a child ended after some time at the latest, and reaped, while nobody asks for it."""
        milliseconds = ctypes.c_uint64(int(seconds * 1000))
        self._library.cgsan_sealed_watch(ctypes.c_int64(child), milliseconds)

    def sealed_end(self, child, kill):
        """How such a child has ended, as `sealed::watch::Asked` numbers it, or 0 while it runs; with `kill`, ends it."""
        return self._library.cgsan_sealed_end(ctypes.c_int64(child), ctypes.c_int(kill))

    def clock_stop(self):
        """Ends the clock."""
        self._library.cgsan_clock_stop()

    def clock_step(self):
        """Notes on it that the program begins a step."""
        self._library.cgsan_clock_step()

    def clock_may_change(self):
        """Whether a profiler may start or end: nothing captures, and nothing begins to until `clock_changed` is called."""
        return self._library.cgsan_clock_may_change() == 1

    def clock_changed(self):
        """Says that a profiler has started or ended."""
        self._library.cgsan_clock_changed()

    def python_ends(self):
        """Says that Python is about to end, in this thread: the frames of others are no longer read, and nothing computes."""
        self._call_if_there("cgsan_values_finish")
        self._library.cgsan_python_ends()

    def name_thread(self, name):
        """Names the calling thread."""
        self._library.cgsan_thread_name(name.encode("utf-8", written.ERRORS))


def _configuration(status):
    return {
        "run_directory": written.path(os.environ["CGSAN_RUN_DIRECTORY"]),
        "agent": os.path.dirname(os.path.dirname(__file__)),
        "gpu_memory": _number("CGSAN_GPU_MEMORY"),
        "gpus": _number("CGSAN_GPUS"),
        "values": bool(os.environ.get("CGSAN_VALUES")),
        "schedule": os.environ.get("CGSAN_SCHEDULE", ""),
        "python": status.python,
        "torch": status.torch,
        "cuda": status.cuda or "",
        "arguments": sys.orig_argv if os.environ.get("CGSAN_ARGUMENTS") != "0" else [],
        "threads": _other_threads(),
        "cupti": _cupti_folders(),
        "watch_always": os.environ.get("CGSAN_WATCH") == "always",
        "memory": bool(os.environ.get("CGSAN_MEMORY")),
        "record": os.environ.get("CGSAN_RECORD") != "0" and not perf.is_wanted(),
        "clock": perf.is_wanted(),
    }


def _number(variable):
    """What an environment variable says, if it is set."""
    text = os.environ.get(variable)
    return int(text) if text else None


def _other_threads():
    """The Python threads that run beside this one, as pairs of the system's number and the name."""
    this = threading.get_ident()
    return [
        (thread.native_id, thread.name)
        for ident, thread in list(threading._active.items())
        if ident != this and thread.native_id is not None
    ]


def _cupti_folders():
    """Where NVIDIA's wheels have put CUPTI: those of CUDA 13 in one folder for all libraries. Or Conda, beside Python's."""
    folders = [
        os.path.join(entry, "nvidia", *parts)
        for entry in sys.path
        for parts in (("cu13", "lib"), ("cuda_cupti", "lib"))
    ]
    folders.append(os.path.join(sys.prefix, "lib"))
    return [written.path(folder) for folder in folders if os.path.isdir(folder)]


def _stubs():
    """The stand-ins that carry the names of NVIDIA's libraries and lead to the virtual GPU.

    None on a real GPU, where PyTorch gets NVIDIA's own.
    """
    folder = os.path.join(os.environ["CGSAN_RUN_DIRECTORY"], "stubs")
    if not os.path.isdir(folder):
        return []
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def serves_virtually():
    """Whether the virtual GPU is to serve this process, and no real one."""
    return bool(_stubs())


def _json(value):
    return written.dumps(value)
