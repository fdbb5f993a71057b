"""What computes one operator's values, now or whenever its nodes run."""

import torch

from . import sparse
from .arguments import both_mapped, leaves, mapped, tensors
from .direct import direct
from .distributions import draw_of
from .given import Number, Reader, place
from .memory import on_cpu
from .not_computed import poison
from .precision import WIDE, only_widens

HALVES = torch.float16, torch.bfloat16
# What has been computed so many times is computed by the shortest way.
OFTEN = 2


class Computation:
    """An operator with views of the memory of its arguments and results, which it does not keep alive."""

    def __init__(self, operator, given, results, source, fails):
        self._operator = operator
        reader = Reader()
        self._arguments, self._keywords = operator.call(
            reader.values(operator.after(given, results))
        )
        # The identities of arguments that are tensors of the host.
        self.of_host = reader.of_host
        if "pin_memory" in self._keywords:
            self._keywords["pin_memory"] = None
        self._places = operator.places(results, place)
        # Where the values of the last run went.
        self._into = self._places
        self._written = operator.written(self._arguments, self._keywords)
        # Sparse tensors that it writes, with what was read of them: their parts may become other tensors.
        self._sparse = [
            (reader.sparse[id(it)], it, _memory(it))
            for it in self._written
            if id(it) in reader.sparse
        ]
        if reader.sparse:
            self._check_in_place(list(reader.sparse.values()))
        # What an operator draws from that was captured; another one's comes with each call.
        self._source = source if source is not None and source.is_captured else None
        self._draw = source and draw_of(
            operator.function, self._places, self._arguments, self._keywords
        )
        # Called with what a computation raised; returns whether it counts as done all the same.
        self.fails = fails
        self._runs = 0
        # What computes it by one call, once that is known.
        self._direct = None

    def _check_in_place(self, sparse_ones):
        """What an operator reads must be as it was when it began. What it writes to a sparse tensor may be other parts by now, and what
        it called may have added to a dense one, by positions that a kernel of its own has counted."""
        reads_all = not self._operator.writes_into
        for tensor, *_ in self._sparse:
            if reads_all or sum(it is tensor for it in sparse_ones) > 1:
                raise NotImplementedError("it changes a sparse tensor in place")
        if all(it.layout is not torch.sparse_coo or it.is_coalesced() for it in sparse_ones):
            return
        written = {it.data_ptr() for it in self._written if it.layout is torch.strided}
        read = [it.data_ptr() for it in self.given()]
        if written and (reads_all or any(read.count(it) > 1 for it in written)):
            raise NotImplementedError("it adds an uncoalesced tensor in place")

    def keep_what_the_host_gave(self):
        """It is computed later: of tensors of the host, a GPU is given what they hold when the operator is called. But what a copy
        finds in pinned memory it reads when it is its turn."""
        if not self.of_host:
            return
        written = {id(it) for it in self._written}

        def kept(value):
            is_given = isinstance(value, torch.Tensor) and id(value) in self.of_host
            waits = is_given and self._operator.is_copy and value.is_pinned()
            return value if not is_given or waits or id(value) in written else value.clone()

        self._arguments, self._keywords = both_mapped(kept, self._arguments, self._keywords)

    def keeps_nothing(self):
        """What it writes may be gone when it is computed later, or again."""
        self._sparse = [(None, it, memory) for _, it, memory in self._sparse]

    def belongs_to(self, capture, recorder):
        """The operator was captured: it is computed at each replay."""
        if self._source is not None:
            self._source.belongs_to(capture, self._draw, recorder)

    def given(self):
        """The tensors that it reads, or writes where it finds them."""
        return _dense((*self._arguments, *self._keywords.values()))

    def written(self):
        """The tensors that it writes."""
        return _dense((*self._into, *self._written))

    def can_draw_again(self):
        """Whether the same computes what is drawn from another source, as one does that was not captured."""
        return self._source is None

    def run(self, objects=None, source=None, numbers=None):
        """Computes into the memory of the results; whether that could be done. `objects` are the results themselves, which are given
        other memory where values decide on their shapes, `source` is what random numbers are drawn from, and `numbers` are given to
        the operator in place of those that it was prepared for."""
        try:
            if numbers is not None:
                _write(self._places, leaves((self._with_others(numbers),)))
                return True
            if self._direct is not None and objects is None:
                self._direct()
                return True
            if not self._operator.is_computable:
                raise only_on_gpu()
            values = leaves((self._values(source),))
            if objects is not None:
                # There are more where the operator was called on a stack that has more below.
                own = leaves(objects)[-len(self._places) :]
                self._into = self._with_shapes(own, values)
            _write(self._into, values)
            self._replace_sparse()
            self._runs += 1
            if self._runs == OFTEN and source is None and self._is_plain():
                self._direct = direct(
                    self._operator, self._arguments, self._keywords, self._places, values
                )
        except Exception as error:
            for into in (*self._places, *self._written):
                poison(into)
            return self.fails(error)
        return True

    def _is_plain(self):
        """Whether its operator computes it, with what it is given."""
        operator, given = self._operator, leaves(self._arguments)
        if operator.substitute is not None:
            is_same = only_widens(operator.substitute) and not any(
                isinstance(it, Number) or (isinstance(it, torch.Tensor) and it.dtype in WIDE)
                for it in given
            )
        else:
            is_same = not operator.is_sum or all(it.dtype not in HALVES for it in tensors(given))
        return is_same and not self._sparse and not operator.has_shapes_of_values

    def _replace_sparse(self):
        """Gives sparse tensors the parts that came to be."""
        for tensor, computed, memory in self._sparse:
            if _memory(computed) != memory:
                if tensor is None:
                    raise NotImplementedError("it changes what a sparse tensor consists of")
                _write([_resized(tensor, computed)], [computed])
        self.keeps_nothing()

    def _values(self, source):
        return self._computed() if source is None else source.compute(self._draw, self._computed)

    def _computed(self):
        operator, arguments = self._operator, self._arguments
        if operator.is_sum:
            arguments = mapped(_widened, arguments)
        if operator.substitute is not None:
            return operator.substitute(self._places, *_tensors(arguments), **self._keywords)
        if not any(isinstance(it, Number) for it in arguments):
            return operator.function(*arguments, **self._keywords)
        return self._with_numbers(arguments)

    def _with_others(self, numbers):
        numbers = iter(numbers)
        arguments, keywords = both_mapped(
            lambda it: next(numbers) if isinstance(it, float) else it,
            self._arguments,
            self._keywords,
        )
        return self._operator.function(*arguments, **keywords)

    def _with_numbers(self, arguments):
        """PyTorch does not say which tensors without dimensions it made of numbers of Python's, which count less for the type of a
        result: those that lead to the type that there is."""
        function = self._operator.function
        try:
            values = function(*_numbers(arguments), **self._keywords)
            pairs = zip(self._places, leaves((values,)), strict=False)
            if all(it is None or it.dtype == value.dtype for it, value in pairs):
                self._arguments = _numbers(self._arguments)
                return values
        except (RuntimeError, TypeError):
            # Not each operator takes numbers.
            pass
        values = function(*_tensors(arguments), **self._keywords)
        self._arguments = _tensors(self._arguments)
        return values

    def _with_shapes(self, objects, values):
        """Gives results the shapes of their values, and says where these go now: on the virtual GPU, sizes that a kernel counts come
        out as none. The places stay as they are for the next call."""
        places = list(self._places)
        for at, (into, value) in enumerate(zip(places, values, strict=False)):
            both = isinstance(into, torch.Tensor) and isinstance(value, torch.Tensor)
            if both and _shapes(into) != _shapes(value):
                places[at] = _resized(objects[at], value)
        return places


def _dense(values):
    """Tensors among values, of sparse ones the parts."""
    return [part for it in tensors(values) for part in sparse.parts(it)]


def _shapes(tensor):
    if tensor.is_nested:
        return tensor.layout, tensor._nested_tensor_size().tolist()
    return tensor.layout, [it.shape for it in sparse.parts(tensor)]


def _resized(tensor, value):
    """Gives a tensor of the GPU the shape of a value; the place for it."""
    made = [
        torch.empty_strided(it.shape, it.stride(), dtype=it.dtype, device=tensor.device)
        for it in sparse.parts(value)
    ]
    if value.layout is torch.strided:
        tensor.set_(made[0].untyped_storage(), 0, made[0].shape, made[0].stride())
    elif value.layout is torch.sparse_coo:
        tensor.data = sparse.of_parts(value, made)
    else:
        torch.ops.aten.resize_as_sparse_(tensor, sparse.of_parts(value, made))
        # It has copied what was there, which may not be done later.
        torch.cuda.current_stream(tensor.device).synchronize()
    return on_cpu(tensor)


def _memory(tensor):
    """Where the parts of a sparse tensor lie."""
    return [(it.data_ptr(), it.shape) for it in sparse.parts(tensor)]


def _write(places, values):
    for into, value in zip(places, values, strict=False):
        if isinstance(into, torch.Tensor) and isinstance(value, torch.Tensor):
            if into.layout is not torch.strided and _shapes(into) != _shapes(value):
                raise NotImplementedError("its result is another sparse tensor")
            for part, other in zip(sparse.parts(into), sparse.parts(value), strict=True):
                part.copy_(other)


def only_on_gpu():
    """Why an operator is not computed that the CPU does not have."""
    return NotImplementedError("only a GPU has it")


def _numbers(arguments):
    return [it.value if isinstance(it, Number) else it for it in arguments]


def _tensors(arguments):
    return [it.tensor() if isinstance(it, Number) else it for it in arguments]


def _widened(value):
    return value.float() if isinstance(value, torch.Tensor) and value.dtype in HALVES else value
