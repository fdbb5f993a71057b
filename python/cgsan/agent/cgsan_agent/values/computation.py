"""What computes one operator's values, now or whenever its nodes run."""

import itertools

import torch

from .. import unrecorded
from .arguments import both_mapped, leaves, mapped, tensors
from .distributions import draw_of
from .memory import names_gpu, on_cpu

HALVES = torch.float16, torch.bfloat16


class Computation:
    """An operator with views of the memory of its arguments and results, which it does not keep alive."""

    def __init__(self, operator, arguments, keywords, results, source, fails):
        self.once = False
        self._operator = operator
        # The identities of arguments that are tensors of the host.
        self._of_host = set()
        self._arguments, self._keywords = both_mapped(self._taken, arguments, keywords)
        if "pin_memory" in self._keywords:
            self._keywords["pin_memory"] = None
        self._places = operator.places(results, _given)
        self._written = operator.written(self._arguments, self._keywords)
        self._source = source
        self._draw = source and draw_of(
            operator.function, self._places, self._arguments, self._keywords
        )
        self._fails = fails

    def keep_what_the_host_gave(self):
        """It is computed later: of tensors of the host, a GPU is given what they hold when the operator is called. But what a copy
        finds in pinned memory it reads when it is its turn."""
        if not self._of_host:
            return
        written = {id(it) for it in self._written}

        def kept(value):
            is_given = isinstance(value, torch.Tensor) and id(value) in self._of_host
            waits = is_given and self._operator.is_copy and value.is_pinned()
            return value if not is_given or waits or id(value) in written else value.clone()

        self._arguments, self._keywords = both_mapped(kept, self._arguments, self._keywords)

    def belongs_to(self, capture, recorder):
        """The operator was captured: it is computed at each replay."""
        if self._source is not None:
            self._source.belongs_to(capture, self._draw, recorder)

    def given(self):
        """The tensors that it reads, or writes where it finds them."""
        return tensors((*self._arguments, *self._keywords.values()))

    def written(self):
        """The tensors that it writes."""
        return tensors((*self._places, *self._written))

    def run(self, results=None):
        """Computes into the memory of the results. Returns `results`, with other memory where values decide on the shape."""
        # What the recorder sees is what the program does.
        torch._C._autograd._enable_record_function(False)
        try:
            values = leaves((self._values(),))
            if results is not None:
                results = self._with_shapes(results, values)
            self._write(values)
        except Exception as error:
            self._poison()
            self._fails(error)
        finally:
            torch._C._autograd._enable_record_function(not unrecorded.running)
        return results

    def _taken(self, value):
        taken = _given(value)
        if taken is value and isinstance(value, torch.Tensor):
            self._of_host.add(id(value))
        return taken

    def _values(self):
        if self._source is not None:
            return self._source.compute(self._draw, self._computed)
        return self._computed()

    def _computed(self):
        operator, arguments = self._operator, self._arguments
        if operator.is_sum:
            arguments = mapped(_widened, arguments)
        if operator.substitute is not None:
            return operator.substitute(self._places, *arguments, **self._keywords)
        return operator.function(*arguments, **self._keywords)

    def _with_shapes(self, results, values):
        """The results in the shapes of their values: on the virtual GPU, sizes that a kernel counts come out as none."""
        changed = {}
        for at, (place, value) in enumerate(zip(self._places, values, strict=False)):
            both = isinstance(place, torch.Tensor) and isinstance(value, torch.Tensor)
            if both and place.shape != value.shape:
                changed[at] = torch.empty_strided(
                    value.shape,
                    value.stride(),
                    dtype=value.dtype,
                    device=leaves((results,))[at].device,
                )
                self._places[at] = _given(changed[at])
        if not changed:
            return results
        if isinstance(results, torch.Tensor):
            return changed[0]
        numbers = itertools.count()
        return type(results)(mapped(lambda it: changed.get(next(numbers), it), results))

    def _write(self, values):
        for place, value in zip(self._places, values, strict=False):
            if isinstance(place, torch.Tensor) and isinstance(value, torch.Tensor):
                place.copy_(value)

    def _poison(self):
        """Makes results recognisable that nothing has computed: not a number, or the least number there is."""
        for place in (*self._places, *self._written):
            if isinstance(place, torch.Tensor):
                if place.is_floating_point() or place.is_complex():
                    place.fill_(float("nan"))
                elif place.dtype != torch.bool:
                    place.fill_(torch.iinfo(place.dtype).min)


def _given(value):
    """An argument as the CPU's operator takes it."""
    if isinstance(value, torch.Tensor):
        return on_cpu(value) if value.is_cuda else value
    if names_gpu(value):
        return torch.device("cpu")
    if isinstance(value, torch.Generator):
        return None
    return value


def _widened(value):
    return value.float() if isinstance(value, torch.Tensor) and value.dtype in HALVES else value
