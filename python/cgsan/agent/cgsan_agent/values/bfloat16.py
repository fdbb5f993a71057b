"""Numbers of bfloat16 in Triton's interpreter, which has no type of NumPy's for them: they are rounded, and kept as float32."""

import functools

import torch


@functools.cache
def let_kernels_round(interpreter, is_interpreting):
    """Has a cast to bfloat16 round, in threads that interpret."""
    semantic, tl = interpreter.TritonSemantic, interpreter.tl
    cast = semantic.cast

    @functools.wraps(cast)
    def rounded(self, input, dst_ty, *options, **keywords):
        if dst_ty.scalar != tl.bfloat16 or not is_interpreting():
            return cast(self, input, dst_ty, *options, **keywords)
        wide = cast(self, input, tl.float32)
        data = wide.handle.data
        narrow = torch.from_numpy(data).bfloat16().float().numpy().reshape(data.shape)
        return tl.tensor(interpreter.TensorHandle(narrow, tl.float32), wide.type)

    semantic.cast = rounded
