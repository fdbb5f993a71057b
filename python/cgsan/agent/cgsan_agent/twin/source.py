"""The source of a captured region: the body of the `with` statement that began the capture, or what stands between two calls."""

import ast
import dis
import functools
import itertools
import linecache
import sys

from ..replays import frames
from . import namespaces

# Frames looked at from `capture_begin` on: context managers of one's own lie in between.
DEPTH = 24
# Files whose syntax trees are kept.
FILES = 16
# What enters a context manager; later versions of Python tell the place of each.
ENTRIES = frozenset(("SETUP_WITH", "BEFORE_WITH"))
# Methods of a graph that begin its capture and end it.
BEGIN, END = "capture_begin", "capture_end"
# Functions that enter a context manager for their caller.
ENTERING = frozenset(("__enter__", "enter"))

# A graph of a backward pass has no region that could be run without that of the forward pass.
BACKWARD = "what its forward graph runs decides what it does"
NOT_FOUND = "no block of its code begins and ends the capture"

# What a region returns, among the variables that it leaves.
RETURNED = "return"
# What a function is made with that gives back its variables.
_KEEP, _LOCALS = "__cgsan_keep", "__cgsan_locals"

_trees = {}


class Source:
    """A region: its statements, and the code that they are part of."""

    def __init__(self, frame, statement, item, function, class_name):
        self.code = frame.f_code
        self._namespace = namespaces.Namespace(frame.f_globals)
        self.line = statement.lineno
        self._items = statement.items[item + 1 :]
        self._body = statement.body
        self._function = function
        self._class_name = class_name
        # What names its function's own variables and those of the functions around it.
        self._own = {*self.code.co_varnames, *self.code.co_cellvars, *self.code.co_freevars}

    @property
    def globals(self):
        """The variables of its module, which this does not keep. Raises `namespaces.Gone` once they cannot be found."""
        return self._namespace.variables()

    def is_there(self):
        """Whether the variables of its module can be found now."""
        try:
            return self.globals is not None
        except namespaces.Gone:
            return False

    def is_function(self):
        """Whether its variables are those of a function."""
        return self._function is not None

    def loop_variables(self, line):
        """The names that loops around the region go through, which do not go on at `line`."""
        return {
            name for begin, end, names in self._loops if not begin <= line <= end for name in names
        }

    @functools.cached_property
    def _loops(self):
        """The first and last line of each loop around the region, and the names that it goes through."""
        parts = ast.walk(self._function or tree_of(self.code.co_filename, self.globals))
        loops = (it for it in parts if isinstance(it, (ast.For, ast.AsyncFor)))
        return [
            (
                it.lineno,
                it.end_lineno,
                [name.id for name in ast.walk(it.target) if isinstance(name, ast.Name)],
            )
            for it in loops
            if it.lineno <= self.line <= it.end_lineno
        ]

    def names(self):
        """The names that its statements use."""
        return {it.id for part in self._body for it in ast.walk(part) if isinstance(it, ast.Name)}

    def names_within(self):
        """The names that its statements give values, and that no other code of its function or module reads."""
        first, last = self._body[0].lineno, self._body[-1].end_lineno
        around = self._function or tree_of(self.code.co_filename, self.globals)
        given, shared = set(), set()
        for it in ast.walk(around):
            if isinstance(it, (ast.Global, ast.Nonlocal)):
                shared.update(it.names)
            elif isinstance(it, ast.Name):
                is_within = first <= it.lineno <= last
                if is_within and isinstance(it.ctx, ast.Store):
                    given.add(it.id)
                elif not is_within and isinstance(it.ctx, ast.Load):
                    shared.add(it.id)
        return given - shared

    def takes_gradients(self):
        """Whether its statements call for a backward pass themselves."""
        parts = (it for part in self._body for it in ast.walk(part))
        return any(isinstance(it, ast.Attribute) and it.attr == "grad" for it in parts)

    def constants(self):
        """The numbers and texts that its statements name, which no change of the program's state reaches."""
        parts = (it for part in self._body for it in ast.walk(part))
        values = (it.value for it in parts if isinstance(it, ast.Constant))
        return [it for it in values if it is not None]

    def compiled(self, variables):
        """The statements with these variables, as a function to call, and their code. It gives back what the variables are when they
        have run, with what they return."""
        body = self._body
        if self._items:
            entered = ast.With(items=self._items, body=body)
            body = [ast.copy_location(entered, body[0])]
        # A loop, so that `break` and `continue` are allowed.
        target = ast.Name("__cgsan_once", ast.Store())
        loop = ast.For(target, ast.Tuple([ast.Constant(None)], ast.Load()), body, [])
        if self._function is None:
            module = ast.Module([ast.copy_location(loop, body[0])], [])
            self.globals.update(variables)
            code = self._compiled(module)
            return functools.partial(_run, code, self.globals), code
        shared = _globals_of(self._function)
        given = [name for name in variables if name not in shared and name != "__class__"]
        first = [ast.Global(sorted(shared))] if shared else []
        # One that is gone is a variable without a value, and never the module's of the same name.
        gone = self.names() & self._own - shared - variables.keys()
        declared = [_declared(name) for name in sorted(gone)]
        leave = ast.Expr(_call(_KEEP, [_call(_LOCALS, [])]))
        guarded = ast.Try([loop], [], [], [ast.copy_location(leave, body[0])])
        function = _function("__cgsan_region", given, [*first, *declared, guarded])
        left = {}
        cells = {_KEEP: left.update, _LOCALS: locals}
        if "__class__" in variables:
            cells["__class__"] = variables["__class__"]
        result = ast.Return(ast.Name("__cgsan_region", ast.Load()))
        outer = _function("__cgsan_outer", list(cells), [function, result])
        scope = {}
        exec(
            self._compiled(ast.Module([ast.copy_location(outer, body[0])], [])), self.globals, scope
        )
        made = scope["__cgsan_outer"](*cells.values())
        made.__code__ = made.__code__.replace(co_name=self.code.co_name)

        def run():
            returned = made(**{it: variables[it] for it in given})
            return {**left, RETURNED: returned}

        return run, made.__code__

    def _compiled(self, module):
        module = _Mangled(self._class_name).visit(module)
        return compile(ast.fix_missing_locations(module), self.code.co_filename, "exec")


def of_stack(frame):
    """The region that is being entered by a call that `frame` is part of, and its frame; or None, and why not."""
    reason = NOT_FOUND
    for _ in range(DEPTH):
        if frame is None:
            break
        if frames.origin(frame.f_code.co_filename) != frames.FOREIGN or _is_graphed(frame):
            found, reason = _entered(frame)
            if found is not None and _is_graphed(frame) and found.takes_gradients():
                return None, BACKWARD
            if found is not None:
                return found, frame
            if reason is not None:
                break
            reason = NOT_FOUND
        frame = frame.f_back
    return None, reason


def _is_graphed(frame):
    return frame.f_code.co_name == "make_graphed_callables"


def _entered(frame):
    """The region, and why there can be none; both None if the frame only passes it on."""
    tree = tree_of(frame.f_code.co_filename, frame.f_globals)
    if tree is None:
        return None, "its source is not to be had"
    place, number = place_of(frame)
    for statement, function, class_name in _regions(tree, None, None):
        item = _item(statement, place, number)
        if item is not None:
            if isinstance(statement, ast.AsyncWith) or _has(statement, ast.Await):
                return None, "it awaits something"
            if _has(statement, (ast.Yield, ast.YieldFrom)):
                return (None, None)  # A context manager: its caller's `with` has the region.
            name = function.name if function is not None else "<module>"
            if name != frame.f_code.co_name:
                return None, "its source has changed"
            return Source(frame, statement, item, function, class_name), None
    if frame.f_code.co_name in ENTERING:
        return None, None
    return None, NOT_FOUND


def tree_of(file, variables):
    """The syntax tree of a file, whose module has these variables; None if its source is not to be had."""
    if file not in _trees:
        if len(_trees) >= FILES:
            _trees.clear()
        try:
            _trees[file] = ast.parse("".join(linecache.getlines(file, variables)))
        except (SyntaxError, ValueError, RecursionError):
            _trees[file] = None
    tree = _trees[file]
    return tree if tree is not None and tree.body else None


def place_of(frame):
    """Where what the frame calls or enters stands: its line and its column, which is not known before Python 3.11; and how many
    entries with the same place come before it."""
    line = None
    entries = []
    for instruction in dis.get_instructions(frame.f_code):
        if instruction.offset >= frame.f_lasti:
            break
        if sys.version_info < (3, 11):
            line = instruction.starts_line or line
        if instruction.opname in ENTRIES:
            entries.append(_position(frame.f_code, instruction.offset, line))
    # A call that is under way may be at what the interpreter keeps behind its instruction, which `dis` leaves out.
    place = position_of(frame)
    return place, entries.count(place)


def position_of(frame):
    """The line and the column of what a frame is at, as far as the version of Python has them."""
    return _position(frame.f_code, frame.f_lasti, frame.f_lineno)


def _position(code, offset, line):
    """The line and the column of an instruction, as far as the version of Python has them; `line` is what is known else."""
    if sys.version_info < (3, 11):
        return line, None
    first, _, column, _ = next(itertools.islice(code.co_positions(), offset // 2, None))
    return first, column


def _item(statement, place, number):
    """Which item of a `with` statement stands at a place, or is that of the statement with so many before it; or None."""
    line, column = place
    items = statement.items
    for index, item in enumerate(items):
        if (item.context_expr.lineno, item.context_expr.col_offset) == place:
            return index
    if line == statement.lineno and column in (None, statement.col_offset):
        # What comes behind the statement may stand in its code more than once.
        return number % len(items)
    return None


def _regions(node, function, class_name):
    """The `with` statements in a tree, inner ones first, and what stands between calls that begin and end a capture, as if it
    were the body of one; with the function and the class around them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _regions(child, child, class_name)
        elif isinstance(child, ast.ClassDef):
            yield from _regions(child, function, child.name)
        else:
            yield from _regions(child, function, class_name)
    for block in _blocks(node):
        for index, statement in enumerate(block):
            graph = _graph_of(statement, BEGIN)
            body = _up_to_end(block[index + 1 :], graph) if graph is not None else None
            if body:
                item = ast.withitem(statement.value)
                yield ast.copy_location(ast.With([item], body), statement), function, class_name
    if isinstance(node, (ast.With, ast.AsyncWith)):
        yield node, function, class_name


def _blocks(node):
    """The lists of statements right in a node."""
    lists = (value for _, value in ast.iter_fields(node) if isinstance(value, list))
    return [it for it in lists if it and isinstance(it[0], ast.stmt)]


def _graph_of(statement, method):
    """The graph whose method a statement calls, as text; None if it does something else."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    is_call = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    return ast.dump(call.func.value) if is_call and call.func.attr == method else None


def _up_to_end(block, graph):
    """The statements before the call that ends the graph's capture, which may stand in a `finally`; None if there is no such call."""
    for index, statement in enumerate(block):
        if _graph_of(statement, END) == graph:
            return block[:index]
        is_try = isinstance(statement, ast.Try) and not statement.handlers
        if is_try and any(_graph_of(it, END) == graph for it in statement.finalbody):
            return [*block[:index], *statement.body, *statement.orelse]
    return None


def _has(statement, kinds):
    """Whether the statement itself, and not a function in it, has such an expression."""
    rest = list(statement.body)
    while rest:
        node = rest.pop()
        if isinstance(node, kinds):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            rest.extend(ast.iter_child_nodes(node))
    return False


def _run(code, variables):
    exec(code, variables)
    return {}


def _call(function, arguments):
    return ast.Call(ast.Name(function, ast.Load()), arguments, [])


def _declared(name):
    """A statement by which a name is a variable of its function, and gets no value."""
    return ast.AnnAssign(ast.Name(name, ast.Store()), ast.Constant(None), None, 1)


def _globals_of(function):
    return {name for it in ast.walk(function) if isinstance(it, ast.Global) for name in it.names}


def _function(name, parameters, body):
    arguments = ast.arguments([], [ast.arg(it) for it in parameters], None, [], [], None, [])
    function = ast.FunctionDef(name, arguments, body, [])
    if sys.version_info >= (3, 12):
        function.type_params = []
    return function


class _Mangled(ast.NodeTransformer):
    """Gives private names the form that they have in their class, and drops what only the function around may say."""

    def __init__(self, class_name):
        self._prefix = (
            f"_{class_name.lstrip('_')}" if class_name and class_name.strip("_") else None
        )

    def _mangle(self, name):
        is_private = name.startswith("__") and not name.endswith("__")
        is_ours = name.startswith("__cgsan_")
        return self._prefix + name if self._prefix and is_private and not is_ours else name

    def visit_Name(self, node):
        node.id = self._mangle(node.id)
        return node

    def visit_Attribute(self, node):
        self.generic_visit(node)
        node.attr = self._mangle(node.attr)
        return node

    def visit_Nonlocal(self, node):
        return ast.copy_location(ast.Pass(), node)
