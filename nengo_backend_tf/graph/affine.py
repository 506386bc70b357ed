"""A signal's value as a sum of other values: y = constant + sum_i scale_i * x_i[source_i].

Nengo's builder spreads the wiring of a network over thousands of small operators: resets, copies, slices, scalings.
Within one timestep each of them only forwards elements of other signals. An `Affine` says the same in one record, so
that a reader of a signal sees through all the wiring to the values that were truly computed.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Optional, Union

import numpy as np


@dataclass(frozen=True, eq=False)
class Term:
    """One summand: ``y[target] += scale * x[source]``, where x is a value of the graph.

    Attributes
    ----------
    value : int
        Which value of the graph is read.
    source : (n,) ndarray of int or None
        Elements of the value that are read, None for all of them in order.
    target : (n,) ndarray of int or None
        Elements of the result that they are added to, each at most once; None for all of them in order.
    scale : float or (n,) ndarray
        Factor of each element.
    """

    value: int
    source: Optional[np.ndarray] = None
    target: Optional[np.ndarray] = None
    scale: Union[float, np.ndarray] = 1.0


@dataclass(frozen=True, eq=False)
class Affine:
    """A flat vector of ``size`` elements: a constant plus terms.

    Attributes
    ----------
    size : int
        Number of elements.
    terms : tuple of Term
        Summands that vary from step to step.
    constant : (size,) ndarray or None
        Summand that does not; None for zero.
    """

    size: int
    terms: tuple = ()
    constant: Optional[np.ndarray] = None

    @property
    def is_constant(self):
        return not self.terms

    def values(self):
        """The values of the graph that this reads."""
        return self._values

    @cached_property
    def _values(self):
        return frozenset(term.value for term in self.terms)

    def constant_array(self, dtype=np.float64):
        """The constant summand as a (size,) ndarray."""
        return np.zeros(self.size, dtype) if self.constant is None else self.constant


def constant(array):
    """The Affine of an array that never changes."""
    flat = np.asarray(array).reshape(-1)
    return Affine(flat.size, (), flat)


def whole(value, size):
    """The Affine that is one value of the graph, all its elements in order."""
    return Affine(size, (Term(value),))


def part(value, start, size):
    """The Affine that is a run of elements of one value."""
    return Affine(size, (Term(value, source=np.arange(start, start + size)),))


def _at(scale, index):
    return scale[index] if isinstance(scale, np.ndarray) else scale


def take(affine, index):
    """``affine[index]`` for an integer array ``index`` (repeats allowed), or all of it where index is None."""
    if index is None:
        return affine
    terms = tuple(t for t in (_take_term(term, index, affine.size) for term in affine.terms) if t is not None)
    return Affine(len(index), terms, None if affine.constant is None else affine.constant[index])


def _take_term(term, index, size):
    if len(index) == 0:
        return None
    if term.target is None:
        source = index if term.source is None else term.source[index]
        return Term(term.value, source, None, _at(term.scale, index))
    where = np.full(size, -1)
    where[term.target] = np.arange(len(term.target))
    picked = where[index]
    target = np.flatnonzero(picked >= 0)
    if len(target) == 0:
        return None
    picked = picked[target]
    source = picked if term.source is None else term.source[picked]
    return Term(term.value, source, None if len(target) == len(index) else target, _at(term.scale, picked))


def place(affine, index, size):
    """The Affine of ``size`` elements y with ``y[index] += affine``; elements that are not named are zero."""
    if index is None:
        return affine
    total = None
    if affine.constant is not None:
        total = np.zeros(size, affine.constant.dtype)
        np.add.at(total, index, affine.constant)
    layers = _unique_layers(index)
    terms = tuple(
        placed for term in affine.terms for layer in layers
        if (placed := _place_term(term, index, layer)) is not None
    )
    return Affine(size, terms, total)


def _unique_layers(index):
    """Split positions of ``index`` so that no element is named twice in one of them; [None] where none repeats."""
    if len(np.unique(index)) == len(index):
        return [None]
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    first = np.r_[True, ordered[1:] != ordered[:-1]]
    starts = np.flatnonzero(first)
    rank = np.empty(len(index), int)
    rank[order] = np.arange(len(index)) - starts[np.cumsum(first) - 1]
    return [np.flatnonzero(rank == r) for r in range(rank.max() + 1)]


def _place_term(term, index, layer):
    target = index if term.target is None else index[term.target]
    if layer is None:
        return Term(term.value, term.source, target, term.scale)
    keep = layer if term.target is None else np.flatnonzero(np.isin(term.target, layer))
    if len(keep) == 0:
        return None
    source = keep if term.source is None else term.source[keep]
    return Term(term.value, source, target[keep], _at(term.scale, keep))


def add(a, b):
    """Elementwise sum of two Affines of one size."""
    if a.constant is None or b.constant is None:
        total = b.constant if a.constant is None else a.constant
    else:
        total = a.constant + b.constant
    return Affine(a.size, a.terms + b.terms, total)


def scale(affine, factor):
    """``factor * affine`` for a scalar or a (size,) ndarray."""
    factor = np.asarray(factor)
    if factor.size == 1:
        factor = factor.reshape(-1)[0]
    terms = []
    for term in affine.terms:
        by = factor if factor.ndim == 0 or term.target is None else factor[term.target]
        terms.append(Term(term.value, term.source, term.target, np.asarray(term.scale * by)[()]))
    total = None if affine.constant is None else affine.constant * factor
    return Affine(affine.size, tuple(terms), total)


def replace(affine, index, by):
    """``affine`` with ``affine[index] = by``; all of it where index is None."""
    if index is None:
        return by
    keep = np.ones(affine.size, bool)
    keep[index] = False
    rest = np.flatnonzero(keep)
    return add(place(take(affine, rest), rest, affine.size), place(by, index, affine.size))


def select_rows(affine, matrix):
    """``matrix @ affine`` for a (rows, affine.size) matrix with at most one nonzero a row."""
    rows, cols = np.nonzero(matrix)
    picked = scale(take(affine, cols), matrix[rows, cols])
    return place(picked, None if len(rows) == len(matrix) else rows, len(matrix))


def key(affine):
    """A hashable value, equal for Affines that are built alike."""

    def raw(x):
        return x.tobytes() if isinstance(x, np.ndarray) else x

    terms = tuple((t.value, raw(t.source), raw(t.target), raw(t.scale)) for t in affine.terms)
    return affine.size, terms, raw(affine.constant)
