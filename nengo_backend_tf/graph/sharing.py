"""Which of a model's Python functions may notice when others of them are called.

A function of time alone can be called for many timesteps ahead, unless another function reads or changes what it
changes or reads. Whether one may is decided from the objects that each function can reach: whatever it can reach and
might change ties it to every other function that can reach the same. All doubts are resolved by tying functions.

Nothing of what is looked at is called: no function, property, ``__getattr__``, ``__eq__`` or ``__hash__``.
"""

from .sharing_walk import OUTSIDE, Walk


def reach(fn):
    """Find what a function can reach, without calling it.

    Parameters
    ----------
    fn : callable

    Returns
    -------
    Reach
        Its tokens are valid for as long as ``fn`` is not garbage.
    """
    return Walk().run(fn)


def touches_outside(fn):
    """Whether a function may read or change anything but objects of its own program."""
    return OUTSIDE in reach(fn).writes


def isolated(fn):
    """Whether a function only reads and changes objects of its own program."""
    return not touches_outside(fn)


def tied(functions):
    """Partition functions such that those of different parts cannot notice each other's calls.

    Parameters
    ----------
    functions : sequence of callable

    Returns
    -------
    tuple of frozenset of int
        Parts of ``range(len(functions))``, in the order of their first members.
    """
    reaches = [reach(fn) for fn in functions]
    parent = list(range(len(reaches)))

    def root(i):
        while parent[i] != i:
            i = parent[i]
        return i

    writers = {}
    for i, found in enumerate(reaches):
        for token in found.writes:
            parent[root(i)] = root(writers.setdefault(token, i))
    for i, found in enumerate(reaches):
        for token in found.reads & writers.keys():
            parent[root(i)] = root(writers[token])
    parts = {}
    for i in range(len(reaches)):
        parts.setdefault(root(i), []).append(i)
    return tuple(frozenset(part) for part in parts.values())
