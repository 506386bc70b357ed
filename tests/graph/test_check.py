"""Each way in which a graph can be broken is found, and the pass is named."""

from dataclasses import replace

import numpy as np
import pytest
from nengo.builder import Signal
from nengo.exceptions import BuildError

from nengo_backend_tf.graph import affine as aff
from nengo_backend_tf.graph.affine import Affine, Term
from nengo_backend_tf.graph.check import check_graph
from nengo_backend_tf.graph.node import Carried, FlatGraph, Kernel, Node, Output, Value

FLOAT = np.dtype(float)


def node(label, where="device"):
    return Node(None, None, (), (Output((2,), FLOAT),), (), label, where=where, label=label)


def graph():
    """v0 is evaluated ahead, v1 carried; v2 = first(v0 + v1), v3 = second(v2), v4 = after(v3)."""
    values = tuple(Value((2,), FLOAT, origin) for origin in ("ahead", "carried", "kernel", "kernel", "kernel"))
    first = Kernel((node("first"),), (aff.add(aff.whole(0, 2), aff.whole(1, 2)),), ((2,),), ((2,),))
    second = Kernel((node("second"),), (aff.whole(2, 2), aff.constant([1.0, 2.0])), ((2,), (1, 2)), ((3,),))
    after = Kernel((node("sink", "after"),), (aff.whole(3, 2),), ((2,),), ((4,),))
    signal = Signal(np.zeros(2), name="s")
    carried = (Carried(1, (signal,), np.zeros(2), aff.whole(3, 2)),)
    final = {signal: aff.whole(3, 2), Signal(np.zeros(2), name="late"): aff.whole(4, 2)}
    return FlatGraph(values, (first, second), ((node("time", "ahead"), (0,)),), carried, final, 0.001, (after,))


def with_input(flat, affine, kernel=1):
    kernels = list(flat.kernels)
    kernels[kernel] = replace(kernels[kernel], inputs=(affine, *kernels[kernel].inputs[1:]))
    return flat._replace(kernels=tuple(kernels))


def test_a_whole_graph_passes():
    flat = graph()
    assert check_graph(flat, "making") is flat


BREAK = {
    "a kernel reads what comes later": (
        lambda flat: flat._replace(kernels=flat.kernels[::-1]), r"kernel 0 \(second\) reads values \[2\] before they are",
    ),
    "a kernel reads itself": (lambda flat: with_input(flat, aff.whole(3, 2)), r"\(second\) reads values \[3\] before"),
    "a kernel reads what is called after the steps": (lambda flat: with_input(flat, aff.whole(4, 2)), r"values \[4\] before"),
    "no such value": (lambda flat: with_input(flat, aff.whole(9, 2)), r"\(second\) reads value 9, which does not exist"),
    "negative value": (lambda flat: with_input(flat, aff.whole(-1, 2)), "reads value -1, which does not exist"),
    "source too large": (
        lambda flat: with_input(flat, Affine(2, (Term(2, np.array([0, 2])),))), "elements outside value 2 of 2 elements",
    ),
    "negative source": (lambda flat: with_input(flat, Affine(2, (Term(2, np.array([0, -1])),))), "elements outside value 2"),
    "target too large": (
        lambda flat: with_input(flat, Affine(2, (Term(2, None, np.array([1, 2])),))), r"\(second\) is written outside its",
    ),
    "counts differ": (
        lambda flat: with_input(flat, Affine(2, (Term(2, np.array([0, 1, 1])),))), "adds 3 elements of value 2 to 2",
    ),
    "size and shape differ": (lambda flat: with_input(flat, Affine(3)), r"kernel 1 reads 3 elements as shape \(2,\)"),
    "constant of another size": (
        lambda flat: with_input(flat, Affine(2, (), np.zeros(3))), r"\(second\) has a constant of another size",
    ),
    "a value is computed twice": (
        lambda flat: flat._replace(kernels=(*flat.kernels, flat.kernels[1])), r"kernel 2 \(second\) computes a value a second",
    ),
    "a carried value is computed": (
        lambda flat: flat._replace(kernels=(flat.kernels[0], replace(flat.kernels[1], outputs=((1,),)))), "a second time",
    ),
    "carried reads nothing": (
        lambda flat: flat._replace(carried=(flat.carried[0]._replace(after=aff.whole(3, 2)),), kernels=flat.kernels[:1], after=()),
        "carried value 1 reads values that nothing computes",
    ),
    "carried changes its size": (
        lambda flat: flat._replace(carried=(flat.carried[0]._replace(after=Affine(3)),)), "carried value 1 changes its size",
    ),
    "deferred reads nothing": (
        lambda flat: flat._replace(kernels=flat.kernels[:1], carried=(flat.carried[0]._replace(after=Affine(2)),)),
        r"deferred sink reads values \[3\] that nothing computes",
    ),
    "final reads nothing": (lambda flat: flat._replace(after=()), "signal 'late' reads values that nothing computes"),
    "final of bad elements": (
        lambda flat: flat._replace(final={Signal(np.zeros(1), name="bad"): Affine(1, (Term(0, np.array([5])),))}),
        "signal 'bad' reads elements outside value 0",
    ),
}


@pytest.mark.parametrize("name", BREAK)
def test_broken(name):
    break_it, match = BREAK[name]
    with pytest.raises(BuildError, match=match) as info:
        check_graph(break_it(graph()), "some pass")
    assert "broken after the pass 'some pass'" in str(info.value)
