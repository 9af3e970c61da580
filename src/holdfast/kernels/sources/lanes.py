"""What plain Python cannot say to the processor: sums in whole vectors whose order is written down, and prefetching.

A compiler may only make vectors of a sum if it may reorder it, and then the order, and so the last bits, depend on
the processor. Here the order is ours: a `Lanes` value is `LANES` partial sums side by side, element j of a row goes to
lane `j % LANES`, what is left at its end to the first, and `add_lanes` adds the lanes up in halves. `fma` rounds a
product and a sum once, on every processor: one instruction on those with FMA (Intel since 2013, AMD since 2012, all of
ARM's 64 bits), a slow exact function of the C library on others.
"""

from llvmlite import ir
from numba import njit
from numba.core import cgutils, types
from numba.extending import intrinsic, models, register_model

LANES = 8
"""Of float32 and of float64: partial sums of ten inner products fit into the registers of AVX2."""


class LanesType(types.Type):
    """`LANES` numbers side by side."""

    def __init__(self, dtype):
        self.dtype = dtype
        super().__init__(name=f"Lanes({dtype})")


@register_model(LanesType)
class LanesModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.VectorType(manager.lookup(kind.dtype).get_value_type(), LANES))


@intrinsic
def nothing(context, like):
    """Lanes of zeros, of the type of this array's elements."""
    kind = LanesType(like.dtype)
    return kind(like), lambda context, builder, signature, _: ir.Constant(context.get_value_type(kind), None)


@intrinsic
def load(context, array, first, like):
    """Elements `first` to `first + LANES` of a contiguous array, converted to the type of another's elements."""
    kind = LanesType(like.dtype)

    def generate(context, builder, signature, arguments):
        raw = ir.VectorType(context.get_data_type(array.dtype), LANES)
        pointer = builder.bitcast(_element(context, builder, signature, arguments), raw.as_pointer())
        found = builder.load(pointer)
        found.align = array.dtype.bitwidth // 8
        return _convert(builder, found, array.dtype, kind.dtype, context.get_value_type(kind))

    return kind(array, types.int64, like), generate


@intrinsic
def load_one(context, array, j, like):
    """Element j in the first lane, zeros in the others: for what is left at the end of a row."""
    kind = LanesType(like.dtype)

    def generate(context, builder, signature, arguments):
        found = builder.load(_element(context, builder, signature, arguments))
        scalar = context.get_value_type(kind.dtype)
        number = _convert(builder, found, array.dtype, kind.dtype, scalar)
        zeros = ir.Constant(context.get_value_type(kind), None)
        return builder.insert_element(zeros, number, ir.Constant(ir.IntType(32), 0))

    return kind(array, types.int64, like), generate


@intrinsic
def repeat(context, number):
    """The same number in every lane."""
    kind = LanesType(number)

    def generate(context, builder, signature, arguments):
        word, vector = ir.IntType(32), context.get_value_type(kind)
        one = builder.insert_element(ir.Constant(vector, ir.Undefined), arguments[0], ir.Constant(word, 0))
        return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(word, LANES), LANES * [0]))

    return kind(number), generate


@intrinsic
def store(context, array, first, lanes):
    """Write lanes to elements `first` to `first + LANES` of a contiguous array of their type."""

    def generate(context, builder, signature, arguments):
        raw = ir.VectorType(context.get_data_type(array.dtype), LANES)
        pointer = builder.bitcast(_element(context, builder, signature, arguments), raw.as_pointer())
        builder.store(arguments[2], pointer).align = array.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(array, types.int64, lanes), generate


@intrinsic
def fma(context, x, y, z):
    """x y + z, rounded once; of numbers or of lanes."""

    def generate(context, builder, signature, arguments):
        kind = context.get_value_type(z)
        number = z.dtype if isinstance(z, LanesType) else z
        name = f"llvm.fma.{f'v{LANES}' if isinstance(z, LanesType) else ''}f{number.bitwidth}"
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, 3 * [kind]), name)
        return builder.call(function, arguments)

    return z(z, z, z), generate


@intrinsic
def less(context, x, y):
    """x - y, lane by lane."""
    return x(x, x), lambda context, builder, signature, arguments: builder.fsub(*arguments)


@intrinsic
def add_lanes(context, lanes):
    """The sum of the lanes: halves are added until one is left."""

    def generate(context, builder, signature, arguments):
        (left,), width, word = arguments, LANES, ir.IntType(32)
        while width > 1:
            width //= 2
            halves = [
                builder.shuffle_vector(left, left, ir.Constant(ir.VectorType(word, width), list(range(k, k + width))))
                for k in (0, width)
            ]
            left = builder.fadd(*halves)
        return builder.extract_element(left, ir.Constant(word, 0))

    return lanes.dtype(lanes), generate


def _element(context, builder, signature, arguments):
    """The address of an element of a contiguous array of one dimension."""
    data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    return builder.gep(data, [arguments[1]])


def _convert(builder, value, given, wanted, target):
    if isinstance(given, types.Integer):
        return builder.sitofp(value, target) if given.signed else builder.uitofp(value, target)
    if given == wanted:
        return value
    return (builder.fpext if given.bitwidth < wanted.bitwidth else builder.fptrunc)(value, target)


LINE = 64
"""Bytes of a cache line."""


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
    """Hint to the processor that row i of a contiguous array is read soon."""
    width = rows.shape[1]
    for j in range(i * width, (i + 1) * width, LINE // rows.itemsize):
        _prefetch_element(rows, j)
