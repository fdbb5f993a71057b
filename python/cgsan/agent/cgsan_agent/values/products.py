"""Products of matrices that only a GPU has: with another type of the results, and of numbers of eight bits with scales."""

import torch

from .precision import precision_of


def _sum_of(operands, product, beta, alpha):
    return beta * operands.to(product.dtype) + alpha * product


def product(results, left, right, out_dtype):
    """Of matrices, or of as many in two batches."""
    wide = precision_of(left.dtype)
    return left.to(wide) @ right.to(wide)


def sum_of_product(results, self, left, right, out_dtype, *, beta=1, alpha=1):
    return _sum_of(self, product(results, left, right, out_dtype), beta, alpha)


def scaled_product(
    results,
    left,
    right,
    scale_left,
    scale_right,
    bias=None,
    scale_result=None,
    out_dtype=None,
    use_fast_accum=False,
):
    found = _scaled(left, scale_left) @ _scaled(right, scale_right)
    found = found if bias is None else found + bias.float()
    is_of_eight_bits = results[0] is not None and results[0].dtype.itemsize == 1
    return found * scale_result if is_of_eight_bits and scale_result is not None else found


def scaled_product_of_recipes(
    results,
    left,
    right,
    scales_left,
    recipes_left,
    swizzles_left,
    scales_right,
    recipes_right,
    swizzles_right,
    bias,
    out_dtype,
    contraction_dim=(),
    use_fast_accum=False,
):
    if len(scales_left) != 1 or len(scales_right) != 1 or contraction_dim:
        raise NotImplementedError("the layout of its scales is not known")
    return scaled_product(results, left, right, *scales_left, *scales_right, bias)


def _scaled(matrix, scale):
    """A matrix times its scale: one, one for each row or column, or one for each block."""
    if scale.dtype != torch.float32 or matrix.dtype.itemsize != 1:
        raise NotImplementedError("the layout of its scales is not known")
    wide = matrix.float()
    if scale.numel() == 1:
        return wide * scale.reshape(())
    for dimension, size in enumerate(matrix.shape):
        parts = scale.shape[dimension]
        of_part = -(-size // parts)
        scale = scale.repeat_interleave(of_part, dimension).narrow(dimension, 0, size)
    return wide * scale


SUBSTITUTES = {
    "aten::mm.dtype": product,
    "aten::bmm.dtype": product,
    "aten::addmm.dtype": sum_of_product,
    "aten::baddbmm.dtype": sum_of_product,
    "aten::_scaled_mm": scaled_product,
    "aten::_scaled_mm_v2": scaled_product_of_recipes,
}
