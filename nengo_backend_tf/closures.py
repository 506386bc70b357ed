"""What step functions keep to themselves: the variables of their closures, and what these hold.

A step function cannot be pickled. In a copy the operator makes it anew, and its variables then get the values that those
of the original had. Nengo's own functions keep nothing but random streams, so that only these are taken from them.
"""

import functools
import pickle
import types
import warnings

import numpy as np

_STREAMS = (np.random.RandomState, np.random.Generator)
_STATIC = (type, types.ModuleType, types.BuiltinFunctionType, types.CodeType, np.ufunc)
_CONTAINERS = (list, tuple, dict, set, frozenset, bytes, bytearray, str)

#: Objects within objects are looked into so deep; what lies deeper is kept as a whole.
DEPTH = 8


class KeptOutsideWarning(UserWarning):
    """A step function keeps something that cannot be pickled, so that a copy of the simulator starts without it."""


class Variable:
    """A variable of a closure, an attribute or an item.

    Attributes
    ----------
    value : object
    put : callable or None
        ``put(value)`` rebinds it, where it can be.
    own : bool
        False for variables of nengo's functions.
    """

    def __init__(self, value, put=None, own=True):
        self.value, self.put, self.own = value, put, own


def saved_closure(function, arrays, label):
    """The values of the variables that a step function can reach.

    Parameters
    ----------
    function : callable
    arrays : list of ndarray
        Arrays that are saved otherwise, so that these and views of them are left out.
    label : str
        What to call the function in warnings.

    Returns
    -------
    dict
        Path (names of variables, from the outer to the inner) -> value.
    """
    _, leaves = _walk(function)
    return {path: v.value for path, v in leaves.items() if _is_saved(v, arrays, f"{label}: {'.'.join(path)}")}


def restore_closure(function, saved):
    """Give the variables of a step function that was made by the same operator the values of `saved_closure`."""
    inner, leaves = _walk(function)
    for path, value in saved.items():
        if path in leaves:
            _restore(leaves[path], value)
        elif path[:-1] in inner and _has_attributes(inner[path[:-1]]):
            vars(inner[path[:-1]])[path[-1]] = value  # an attribute that the steps made


def _walk(function):
    """What a step function can reach: path -> functions and objects that are looked into, and path -> Variable."""
    inner, leaves, queue, seen = {}, {}, [((), Variable(function, own=False))], set()
    while queue:
        path, variable = queue.pop()
        members = dict(_members(variable)) if len(path) < DEPTH else {}
        if not members:
            leaves.update({path: variable} if path else {})
        elif id(variable.value) not in seen:
            seen.add(id(variable.value))
            inner[path] = variable.value
            queue += [((*path, name), member) for name, member in members.items()]
    return inner, leaves


def _members(variable):
    """(name, Variable) of what is looked into: functions, instances of the user's classes, and what holds such."""
    value, own = variable.value, variable.own
    if isinstance(value, types.FunctionType):
        for name, cell in zip(value.__code__.co_freevars, value.__closure__ or ()):
            if cell != types.CellType():  # it has a value
                put = functools.partial(setattr, cell, "cell_contents")
                yield name, Variable(cell.cell_contents, put, own=not _is_nengos(value))
    elif isinstance(value, types.MethodType):
        yield "__self__", Variable(value.__self__, own=own or not _is_nengos(type(value.__self__)))
    elif isinstance(value, functools.partial):
        items = {**dict(enumerate((value.func, *value.args))), **value.keywords}
        yield from ((str(name), Variable(item)) for name, item in items.items())
    elif type(value) in (list, tuple) and any(map(_is_tied, value)):
        yield from ((str(i), Variable(item)) for i, item in enumerate(value))
    elif type(value) is dict and any(map(_is_tied, value.values())):
        yield from ((str(k), Variable(item, functools.partial(value.__setitem__, k))) for k, item in value.items())
    elif (own or callable(value)) and _has_attributes(value):
        attributes = vars(value)
        yield from ((k, Variable(item, functools.partial(attributes.__setitem__, k))) for k, item in attributes.items())


def _is_nengos(thing):
    return (getattr(thing, "__module__", None) or "").partition(".")[0] == "nengo"


def _has_attributes(value):
    """Whether it is an instance of a class of the user's that keeps all it has in attributes."""
    others = (*_STATIC, *_STREAMS, *_CONTAINERS, np.ndarray, types.FunctionType, types.MethodType, functools.partial)
    return type(getattr(value, "__dict__", None)) is dict and not isinstance(value, others) and not _is_nengos(type(value))


def _is_tied(value):
    """Whether something must stay what the operator made, because it cannot be pickled or is shared with the signals."""
    return callable(value) and not isinstance(value, _STATIC) or isinstance(value, (np.ndarray, *_STREAMS))


def _is_saved(variable, arrays, label):
    value = variable.value
    if isinstance(value, (*_STATIC, types.FunctionType)) or not (variable.own or isinstance(value, _STREAMS)):
        return False
    if isinstance(value, np.ndarray):
        return not any(np.may_share_memory(value, array) for array in arrays)
    try:
        pickle.dumps(value)
    except Exception as error:  # whatever the object's own class raises
        warnings.warn(
            f"{label} holds a {type(value).__name__}, which cannot be pickled ({error}). A copy of the simulator begins "
            "with a new one. Keep it in the state that make_state returns, or in what can be pickled.", KeptOutsideWarning,
        )
        return False
    return True


def _restore(variable, value):
    """Put a value into a variable. Arrays are changed in place, since views of them may be elsewhere."""
    present = variable.value
    if isinstance(present, np.ndarray) and present.flags.writeable and _alike(present, value):
        present[...] = value
    elif variable.put is not None:
        variable.put(value)
    elif isinstance(present, np.random.RandomState):
        present.set_state(value.get_state())
    elif isinstance(present, np.random.Generator):
        present.bit_generator.state = value.bit_generator.state


def _alike(present, value):
    return isinstance(value, np.ndarray) and (present.shape, present.dtype) == (value.shape, value.dtype)
