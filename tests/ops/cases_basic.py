"""Rows for the operators that wire a network: Reset, Copy, ElementwiseInc, DotInc."""

from functools import partial

import numpy as np
from harness import Case
from nengo.builder import Signal
from nengo.builder.operator import Copy, DotInc, ElementwiseInc, Reset


def signal(rng, *shape, dtype=float, readonly=False, name=None):
    """A signal of random values."""
    values = rng.uniform(-1, 1, shape)
    if np.dtype(dtype).kind != "f":
        values = rng.randint(0, 2 if np.dtype(dtype).kind == "b" else 9, shape)
    return Signal(np.asarray(values, dtype), readonly=readonly, name=name)


def increment(model, op, rng):
    """Add an operator that increments, with the Reset that nengo's builder would put before it, in half the cases."""
    if rng.rand() < 0.5:
        model.add_op(Reset(op.incs[0].base))
    model.add_op(op)


def make_reset(model, rng, dtype=float, part=Ellipsis):
    x, y = signal(rng, 3, 4, dtype=dtype), signal(rng, 3, 4, dtype=dtype)
    model.add_op(Reset(y[part], value=int(rng.randint(2))))
    model.add_op(Copy(x, y[:, 1], src_slice=(Ellipsis, 2), inc=True))
    model.add_op(Copy(y, signal(rng, 3, 4, dtype=dtype), inc=True))


def make_copy(model, rng, src=None, dst=None, shape_src=(6,), shape_dst=(6,), inc=False, dtypes=(float, float)):
    model.add_op(Copy(
        signal(rng, *shape_src, dtype=dtypes[0]), signal(rng, *shape_dst, dtype=dtypes[1]), src_slice=src, dst_slice=dst,
        inc=inc,
    ))


def make_copy_chain(model, rng):
    """Through views of views, in a row: an output is read only where it went."""
    a, b, c, d = (signal(rng, 8) for _ in range(4))
    model.add_op(Copy(a[::2], b[4:]))
    model.add_op(Copy(a[1::2], b[:4]))
    model.add_op(Copy(b[::-1], c))
    model.add_op(Copy(c, d, src_slice=[1, 1, 0], dst_slice=[7, 0, 3], inc=True))


def make_view_copy(model, rng, view):
    model.add_op(Copy(view(signal(rng, 4, 5, 3)), view(signal(rng, 4, 5, 3)), inc=bool(rng.randint(2))))


def make_elementwise(model, rng, a, x, y, constant_a=False, constant_x=False):
    op = ElementwiseInc(signal(rng, *a, readonly=constant_a), signal(rng, *x, readonly=constant_x), signal(rng, *y))
    increment(model, op, rng)


def make_dot(model, rng, a, x, y, constant_a=False, constant_x=False, scale=1.0):
    A = Signal(rng.uniform(-1, 1, a) * scale, readonly=constant_a)
    increment(model, DotInc(A, signal(rng, *x, readonly=constant_x), signal(rng, *y)), rng)


def make_dot_sizes(model, rng):
    """Members of different shapes, which no group can hold together."""
    rows, columns = rng.randint(1, 9, 2)
    make_dot(model, rng, (rows, columns), (columns,), (rows,), constant_a=True)


def make_dot_one_input(model, rng):
    """Several matrices times one vector."""
    x = signal(rng, 5)
    for rows in (3, 70, 1):
        model.add_op(DotInc(signal(rng, rows, 5, readonly=True), x, signal(rng, rows)))


def make_dot_views(model, rng):
    x, y = signal(rng, 4, 3), signal(rng, 4, 6)
    model.add_op(DotInc(signal(rng, 2, 4, readonly=True), x[:, 1], y[3, ::3]))
    model.add_op(DotInc(signal(rng, 2, 4), x[::-1, 2], y[0, 1:3]))


def make_feedback(model, rng):
    """A product fed back through a copy: read before it is written in a step, so that it is carried."""
    x, y = signal(rng, 4), signal(rng, 4)
    model.add_op(Copy(x, y))
    model.add_op(Reset(x))
    model.add_op(DotInc(Signal(rng.uniform(-0.4, 0.4, (4, 4)), readonly=True), signal(rng, 4), x))


VIEWS = {
    "first_axis": lambda s: s[1:3],
    "middle_axis": lambda s: s[:, ::2],
    "last_axis": lambda s: s[:, :, 1],
    "negative_strides": lambda s: s[::-1, 4:1:-2, ::-1],
    # nengo forgets the offset of the outer view, so that it has none here.
    "view_of_view": lambda s: s[:, :4][::2, 1:, 2],
    "element": lambda s: s[1, 2, 1],
    "empty": lambda s: s[2:2],
}

COPIES = {
    "whole": {},
    "inc": dict(inc=True),
    "slices": dict(src=slice(None, None, 2), dst=slice(3, None)),
    "negative_slice": dict(src=slice(None, None, -1)),
    "advanced": dict(src=[5, 0, 0], dst=[1, -1, 3]),
    "advanced_source": dict(src=[4, 4, 1, 0, 2, 5]),
    "boolean": dict(src=[True, False, True, False, True, False], dst=[0, 1, 2]),
    "repeated_inc": dict(src=[0, 1, 2, 3], dst=[2, 2, 2, -4], inc=True),
    "broadcast": dict(shape_src=(1,), shape_dst=(6,)),
    "broadcast_rows": dict(shape_src=(3,), shape_dst=(4, 3), inc=True),
    "rows": dict(shape_src=(4, 3), shape_dst=(5, 3), src=[0, 3], dst=[4, 1]),
    "scalar": dict(shape_src=(), shape_dst=()),
    "int": dict(dtypes=(np.int64, np.int64), inc=True),
    "int32_slice": dict(dtypes=(np.int32, np.int32), src=slice(0, 2), dst=[1, 3]),
    "bool": dict(dtypes=(bool, bool), src=[1, 2, 0], dst=slice(0, 3)),
    "bool_inc": dict(dtypes=(bool, bool), src=[1, 2, 0], dst=[0, 0, 3], inc=True),
    "int_to_float": dict(dtypes=(np.int64, float)),
    "bool_to_float": dict(dtypes=(bool, float), inc=True),
    "float_to_int": dict(dtypes=(float, np.int64)),
}

ELEMENTWISE = {
    "same": ((4,), (4,), (4,)),
    "scalar_a": ((), (4,), (4,)),
    "scalar_both": ((), (), ()),
    "length_one": ((1,), (5,), (5,)),
    "column": ((3, 1), (3, 4), (3, 4)),
    "outer": ((3, 1), (1, 4), (3, 4)),
    "row_vector": ((4,), (3, 4), (3, 4)),
    "scalar_matrix": ((), (3, 4), (3, 4)),
}

DOTS = {
    "scalar_a": ((), (4,), (4,)),
    "scalar_x": ((4,), (), (4,)),
    "scalar_x_column": ((3, 1), (), (3, 1)),
    "scalar_both": ((), (), ()),
    "vector_a": ((4,), (4,), ()),
    "vector_a_to_one": ((4,), (4,), (1,)),
    "one_one": ((1,), (1,), (1,)),
    "matrix": ((3, 4), (4,), (3,)),
    "row": ((1, 4), (4,), (1,)),
    "column_matrix": ((5, 1), (1,), (5,)),
    "column_x": ((3, 4), (4, 1), (3, 1)),
    "scalar_a_column": ((), (4, 1), (4, 1)),
    "large": ((40, 30), (30,), (40,)),
    "large_column": ((40, 30), (30, 1), (40, 1)),
}

#: Which operands are constant.
CONSTANT = {
    "": {},
    "_constant_a": dict(constant_a=True),
    "_constant_x": dict(constant_x=True),
    "_constants": dict(constant_a=True, constant_x=True),
}

CASES = (
    Case("reset", make_reset),
    Case("reset_int", partial(make_reset, dtype=np.int64)),
    Case("reset_view", partial(make_reset, part=slice(2, None))),
    *(Case(f"copy_{name}", partial(make_copy, **options)) for name, options in COPIES.items()),
    Case("copy_chain", make_copy_chain),
    *(Case(f"copy_view_{name}", partial(make_view_copy, view=view)) for name, view in VIEWS.items()),
    *(
        Case(f"elementwise_{name}{which}", partial(make_elementwise, a=a, x=x, y=y, **constant))
        for name, (a, x, y) in ELEMENTWISE.items() for which, constant in CONSTANT.items() if which != "_constant_x"
    ),
    *(
        Case(f"dot_{name}{which}", partial(make_dot, a=a, x=x, y=y, **constant))
        for name, (a, x, y) in DOTS.items() for which, constant in CONSTANT.items()
        if which != "_constants" or name in ("matrix", "scalar_x")
    ),
    Case("dot_sizes", make_dot_sizes),
    Case("dot_one_input", make_dot_one_input),
    Case("dot_views", make_dot_views),
    Case("feedback", make_feedback),
)
