"""What a kernel of Triton does to the memory that it is given, read off its intermediate representation.

A pointer among its parameters leads to others by arithmetic, loops and branches; a load reads through each that its address may
have come from, and a store writes. What hands a pointer on in a way that is not known here may do both.
"""

import re

READS, WRITES = 1, 2
BOTH = READS | WRITES

# Operations whose results lead where their operands do.
DERIVES = {
    "tt.addptr",
    "tt.advance",
    "tt.bitcast",
    "tt.broadcast",
    "tt.cat",
    "tt.expand_dims",
    "tt.int_to_ptr",
    "tt.join",
    "tt.make_tensor_descriptor",
    "tt.make_tensor_ptr",
    "tt.ptr_to_int",
    "tt.reshape",
    "tt.split",
    "tt.splat",
    "tt.trans",
    "tt.unsplat",
}
DIALECTS_THAT_DERIVE = ("arith.", "math.", "scf.", "ub.")
# Operations that go through their first operand.
ACCESSES = {
    "tt.load": READS,
    "tt.descriptor_load": READS,
    "tt.descriptor_gather": READS,
    "tt.store": WRITES,
    "tt.descriptor_store": WRITES,
    "tt.descriptor_scatter": WRITES,
    "tt.descriptor_reduce": BOTH,
    "tt.atomic_rmw": BOTH,
    "tt.atomic_cas": BOTH,
}

_FUNCTION = re.compile(r"\btt\.func public @[^(]+\((.*)\)")
_PARAMETER = re.compile(r"(%[\w$.-]+): ([^%]*)")
_OPERATION = re.compile(r"^\s*(?:(%[\w$.-]+)(?::(\d+))? = )?\"?([a-z_]+\.[\w.]+)\"?(.*)$")
_VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")
_CARRIED = re.compile(r"(%[\w$.-]+) = (%[\w$.-]+(?:#\d+)?)")
_BLOCK = re.compile(r"^\s*\^[\w]+(?:\((.*)\))?:")


def of_pointers(text):
    """What a kernel does through each pointer among its parameters, in their order; None where the text is of no kernel."""
    function = _FUNCTION.search(text)
    if function is None:
        return None
    parameters = _PARAMETER.findall(function[1])
    pointers = [name for name, kind in parameters if "!tt.ptr" in kind or "!tt.tensordesc" in kind]
    flow = _Flow(pointers)
    lines = [line.split(" loc(", 1)[0] for line in text[function.end() :].splitlines()]
    before = None
    while before != flow.size():  # What a loop hands on is known behind its beginning.
        before = flow.size()
        flow.follow(lines)
    return [flow.does.get(name, 0) for name in pointers]


class _Flow:
    """Which pointers each value may have come from, and what is done through them."""

    def __init__(self, pointers):
        self._pointers = frozenset(pointers)
        self._from = {name: {name} for name in pointers}
        self.does = {}

    def size(self):
        return sum(map(len, self._from.values())), sum(self.does.values())

    def follow(self, lines):
        """Goes through the operations once."""
        regions = []
        for line in lines:
            stripped = line.strip()
            if block := _BLOCK.match(line):
                self._block(block[1] or "", regions)
            elif stripped.startswith("}"):
                # The other branch of the same operation goes on with its results.
                if not stripped.endswith("{") and regions:
                    regions.pop()
            elif operation := _OPERATION.match(line):
                self._operation(operation, regions, opens=stripped.endswith("{"))

    def _operation(self, operation, regions, opens):
        result, count, name, rest = operation.groups()
        # Types are behind the operands.
        operands = _VALUE.findall(rest.split(" : ", 1)[0] if not opens else rest)
        results = _results(result, count)
        if opens:
            carried = _CARRIED.findall(rest)
            self._opens(name, results, carried, operands)
            regions.append((name, results, [into for into, _ in carried]))
        elif name in ("scf.yield", "scf.condition", "scf.reduce.return"):
            self._yields(name, operands, regions)
        elif name in ACCESSES:
            self._does(operands[:1], ACCESSES[name])
        elif name in DERIVES or name.startswith(DIALECTS_THAT_DERIVE):
            self._joins_all(results, operands)
        elif not name.startswith("cf."):  # Which block takes which value is not followed: `_block`.
            self._does(operands, BOTH)

    def _opens(self, name, results, carried, operands):
        if name == "scf.for" or name == "scf.while":
            for place, (into, value) in enumerate(carried):
                self._joins(into, [value])
                if name == "scf.for" and place < len(results):
                    self._joins(results[place], [value])
        elif name != "scf.if":
            self._joins_all(results, operands)

    def _yields(self, name, operands, regions):
        if not regions:
            return
        of, results, carried = regions[-1]
        if name == "scf.yield" and of in ("scf.for", "scf.if"):
            for place, value in enumerate(operands):
                for targets in (results, carried):
                    if place < len(targets):
                        self._joins(targets[place], [value])
        else:
            self._joins_all([*results, *carried], operands)

    def _block(self, parameters, regions):
        names = [name for name, kind in _PARAMETER.findall(parameters) if "tt." in kind]
        if not names:
            return
        if regions and regions[-1][0] == "scf.while":
            _, results, carried = regions[-1]
            self._joins_all(names, [*results, *carried])
        else:
            for name in names:
                self._from.setdefault(name, set()).update(self._pointers)

    def _joins_all(self, targets, values):
        for into in targets:
            self._joins(into, values)

    def _joins(self, into, values):
        origins = self._from.setdefault(into, set())
        for value in values:
            origins |= self._from.get(value, set())

    def _does(self, values, what):
        for value in values:
            for pointer in self._from.get(value, ()):
                self.does[pointer] = self.does.get(pointer, 0) | what


def _results(name, count):
    if name is None:
        return []
    return [name] if count is None else [f"{name}#{place}" for place in range(int(count))]
