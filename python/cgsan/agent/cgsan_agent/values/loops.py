"""The variables of a kernel's loops, which Triton's compiler makes numbers of its own and its interpreter leaves to Python.

A number of Python's has no `to`, grows without end, and is divided by rounding down.
"""

import ast

# Under this name, kernels that were rewritten find what counts.
NAME = "cgsan_counted"


def count_in_numbers(interpreter):
    """Has loops over `range` and `tl.range` give kernels numbers of Triton's. Those over `tl.static_range` are unrolled: theirs are Python's."""
    np, tl = interpreter.np, interpreter.tl

    def counted(*bounds, step=None, **_hints):
        bounds = [getattr(it, "value", it) for it in (*bounds, *([] if step is None else [step]))]
        is_wide = any(_is_wide(it) for it in bounds)
        kind, numbers = (tl.int64, np.int64) if is_wide else (tl.int32, np.int32)
        for number in range(*map(int, bounds)):
            handle = interpreter.TensorHandle(np.array([number], dtype=numbers), kind)
            yield tl.tensor(handle, kind)

    class Transformer(interpreter.ASTTransformer):
        def visit_For(self, node):
            self.generic_visit(node)
            call = node.iter
            if isinstance(call, ast.Call) and _name(call.func) == "range":
                call.func = ast.Name(id=NAME, ctx=ast.Load())
            return node

    # What a rewritten kernel does not know it looks up in the interpreter's module.
    setattr(interpreter, NAME, counted)
    interpreter.FunctionRewriter.ast_transformer = Transformer()


def _name(function):
    return getattr(function, "id", None) or getattr(function, "attr", None)


def _is_wide(bound):
    kind = getattr(bound, "dtype", None)
    if kind is not None:
        return kind.primitive_bitwidth == 64
    return not -(2**31) <= bound < 2**31
