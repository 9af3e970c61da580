"""A hint to the processor that memory will be read soon: the one thing here that plain Python cannot say."""

from llvmlite import ir
from numba import njit
from numba.core import cgutils, types
from numba.extending import intrinsic

LINE = 64


@intrinsic
def _prefetch_element(context, array, offset):
    """Ask for the cache line that holds the element at this flat offset."""

    def generate(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        pointer = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(8).as_pointer())
        word = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, word, word, word])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        read, into_level_2, data_cache = ir.Constant(word, 0), ir.Constant(word, 2), ir.Constant(word, 1)
        builder.call(function, [pointer, read, into_level_2, data_cache])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@njit(inline="always")
def prefetch(rows, i):
    """Ask for all of row i of a contiguous array."""
    width = rows.shape[1]
    for j in range(i * width, (i + 1) * width, LINE // rows.itemsize):
        _prefetch_element(rows, j)
