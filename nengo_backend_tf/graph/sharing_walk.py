"""Walk over the objects that a function can reach: variables, closures, instances, classes, other functions."""

import enum
import functools
import gc
import operator
import random
import re
import sys
import types
import weakref
from typing import NamedTuple

import numpy as np

from . import sharing_known as known
from .sharing_code import INITIALIZERS, Load, scan

#: Everything outside the functions' own objects, as one object: clocks, files, screens, the global random generators.
OUTSIDE = "outside"

#: Written by functions of which nothing is known, read by every function that reads any variable.
ANYTHING = "anything"

#: So many objects are looked at for a function, at most. A function that reaches more may reach anything.
BUDGET = 10_000

_MRO_OF = type.__dict__["__mro__"].__get__
_ATTRIBUTES_OF = type.__dict__["__dict__"].__get__
_DICT_OFFSET_OF = type.__dict__["__dictoffset__"].__get__
_MODULE_ATTRIBUTES = types.ModuleType.__dict__["__dict__"].__get__
_MISSING = object()
_SLOTS = frozenset(map(id, (types.MethodDescriptorType, types.ClassMethodDescriptorType, types.WrapperDescriptorType)))

_IMMUTABLE = frozenset(map(id, (
    bool, bytes, complex, float, int, object, range, str, type(None), type(...), type(NotImplemented), types.CodeType,
    re.Pattern, types.GetSetDescriptorType, types.MemberDescriptorType, type(vars(Load)["name"]),
)))


class Reach(NamedTuple):
    """What a function can reach.

    Attributes
    ----------
    reads : frozenset
        Tokens of what it may read but not change.
    writes : frozenset
        Tokens of what it may change, or read and change.
    """

    reads: frozenset
    writes: frozenset


class _Opaque(Exception):
    """The function may reach anything, so that there is nothing more to find out."""


class Walk:
    """One walk over the objects that a function can reach.

    An object has the token ("object", its id), a variable of a module the token ("variable", id of the module's dict,
    its name). Variables also read the token of the dict, which is written where the dict itself is reached.
    Attributes of instances change only where some reached code assigns attributes, and those of functions and classes
    only where it assigns other attributes than those of a method's own instance. So their tokens are kept apart until
    all code is known.
    """

    def __init__(self):
        self.reads, self.writes = set(), set()
        self.instances, self.definitions = set(), set()
        self.stores = self.stores_elsewhere = False
        self.seen = {}  # also keeps temporary objects, so that no other object takes their ids
        self.queue = []

    def run(self, fn):
        try:
            self.visit(fn)
            while self.queue:
                self.look(*self.queue.pop())
        except Exception:  # whatever goes wrong, "anything" is a valid answer, and a model must not fail over it
            self.writes.update((OUTSIDE, ANYTHING))
        return self.result()

    def result(self):
        reads, writes = set(self.reads), set(self.writes)
        (writes if self.stores else reads).update(self.instances)
        (writes if self.stores_elsewhere else reads).update(self.definitions)
        if reads or writes:
            reads.add(ANYTHING)
        return Reach(frozenset(reads - writes), frozenset(writes))

    def visit(self, obj, method=False):
        key = id(obj), method
        if id(type(obj)) in _IMMUTABLE or key in self.seen:
            return
        if len(self.seen) >= BUDGET:
            raise _Opaque
        self.seen[key] = obj
        self.queue.append((obj, method))

    def change(self, obj):
        self.writes.add(("object", id(obj)))

    def outside(self):
        self.writes.add(OUTSIDE)
        self.stores = True  # it may assign attributes of what it is given

    def unknown(self):
        self.outside()
        self.stores_elsewhere = True

    def opaque(self):
        raise _Opaque

    def judge(self, verdict):
        if verdict not in (None, "pure"):
            {"outside": self.outside, "unknown": self.unknown, "opaque": self.opaque}[verdict]()

    def look(self, obj, method):
        """Take note of one object, and visit those that it holds."""
        kind = type(obj)
        if kind is types.FunctionType:
            self.function(obj, method)
        elif id(kind) in _LOOKS:
            _LOOKS[id(kind)](self, obj)
        elif issubclass(kind, type):
            self.type(obj, kind)
        elif issubclass(kind, types.ModuleType):
            self.module(obj)
        elif issubclass(kind, weakref.ReferenceType):
            self.visit(weakref.ReferenceType.__call__(obj))
            self.instance(obj, kind)
        elif issubclass(kind, (np.ndarray, np.void)):
            self.array(obj, kind)
        elif issubclass(kind, np.random.BitGenerator) and known.type_verdict(kind) == "pure":
            self.bit_generator(obj)
        elif not issubclass(kind, (np.generic, np.dtype)) or known.type_verdict(kind) != "pure":
            self.instance(obj, kind)

    def visit_all(self, objects):
        for obj in objects:
            self.visit(obj)

    def transparent(self, obj):
        self.visit_all(gc.get_referents(obj))

    def ufunc(self, ufunc):
        # One that is made of a Python function refers to it. All have a dict of their own.
        self.visit_all(r for r in gc.get_referents(ufunc) if type(r) is not dict)

    def bound(self, method):
        kind = type(method.__self__)
        self.visit(method.__self__)
        if kind is not random.Random:
            self.visit(method.__func__, known.type_verdict(kind) is None and not issubclass(kind, type))

    def slot(self, descriptor):
        self.visit(descriptor.__objclass__)

    def unbound(self, method):
        self.visit(method.__func__)

    def partial(self, partial):
        self.definitions.add(("object", id(partial)))
        self.visit_all((partial.func, partial.args, *partial.keywords.values(), *dict.values(partial.__dict__)))

    def proxy(self, proxy):
        self.opaque()  # whatever one does with it is done with what it stands for

    def iterated(self, flat):
        self.change(flat)
        self.visit(flat.base)

    def buffer(self, view):
        self.change(view)
        self.visit(view.obj)

    def random_state(self, rng):
        self.change(rng)
        self.visit(rng._bit_generator)

    def bit_generator(self, bits):
        self.change(bits)
        self.visit(np.random.BitGenerator.seed_seq.__get__(bits))
        if bits is np.random.mtrand._rand._bit_generator:
            self.outside()

    def stdlib_random(self, rng):
        self.change(rng)
        if rng is random._inst:
            self.outside()

    def array(self, obj, kind):
        """An array is known by the memory that it shows: whatever owns this is reached too."""
        self.change(obj)
        array = issubclass(kind, np.ndarray)
        self.visit((np.ndarray if array else np.void).base.__get__(obj))
        if (np.ndarray if array else np.generic).dtype.__get__(obj).hasobject:
            self.visit(np.ndarray.tolist(np.ndarray.view(obj, np.ndarray)) if array else np.void.item(obj))
        if known.type_verdict(kind) != "pure" or array and kind is not np.ndarray:
            self.instance(obj, kind)

    def instance(self, obj, kind):
        compiled = known.compiled_function(obj, kind)
        if compiled is not None:
            verdict = known.function_verdict(*compiled)
            self.judge(verdict or "unknown")
            if verdict is not None:
                return
        if id(obj) in known.STATELESS_OBJECTS:
            return
        self.visit(kind)
        if not known.shows_referents(kind):
            self.opaque()
        referents = [r for r in gc.get_referents(obj) if r is not kind]
        if known.type_verdict(kind) is None:
            attributes = _instance_attributes(obj, kind)
            enumerated = issubclass(type(kind), enum.EnumMeta)
            tokens = self.definitions if enumerated else self.instances if _is_plain(kind) else self.writes
            if _DICT_OFFSET_OF(kind) or _has_slots(kind) or tokens is self.writes:
                tokens.add(("object", id(obj)))
            if attributes is not None:
                # The dict is no way to the attributes, unless it is reached or named by itself.
                tokens.add(("object", id(attributes)))
                referents = [r for r in referents if r is not attributes] + list(dict.values(attributes))
        elif not known.has_no_state(kind):
            self.change(obj)
        self.visit_all(referents)

    def type(self, cls, kind):
        verdict = known.type_verdict(cls)
        self.judge(verdict)
        if verdict is not None:
            return
        self.definitions.add(("object", id(cls)))
        self.visit(kind)
        self.visit_all(_MRO_OF(cls)[1:])
        enumerated = issubclass(kind, enum.EnumMeta)
        # Instances of a metaclass are classes, and the members of an enumeration are shared by all.
        method = not enumerated and not issubclass(cls, type)
        for name, value in _ATTRIBUTES_OF(cls).items():
            if known.is_bookkeeping(name, enumerated):
                continue
            if type(value) is types.FunctionType:
                self.visit(value, "initializer" if method and name in INITIALIZERS else method)
            elif id(type(value)) in _SLOTS and value.__objclass__ is cls:
                self.unknown()  # its methods are compiled
            elif type(value) is property:
                for part in (value.fget, value.fset, value.fdel):
                    self.visit(part, method)
            else:
                self.visit(value)

    def module(self, module):
        """A module that is handed around, so that it is not known which of its attributes are used."""
        attributes = _MODULE_ATTRIBUTES(module)
        name = attributes.get("__name__")
        verdict = known.whole_module_verdict(name) if type(name) is str else None
        self.judge(verdict)
        if verdict is None:
            self.change(attributes)
            self.visit_all(value for name, value in attributes.items() if type(name) is not str or name[:2] != "__")

    def builtin(self, fn):
        owner = fn.__self__
        if owner is not None and not issubclass(type(owner), types.ModuleType):
            self.visit(owner)
            return
        module = fn.__module__ if owner is None else _MODULE_ATTRIBUTES(owner).get("__name__")
        if id(fn) in known.STORING_BUILTINS:
            self.stores = self.stores_elsewhere = True
        self.judge(known.function_verdict(fn.__name__, module) or "unknown")

    def function(self, fn, method):
        module = dict.get(fn.__globals__, "__name__")
        verdict = known.module_verdict(module)
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
        if verdict is not None:
            drawing = module.startswith("scipy") and known.draws_numbers(fn)
            self.judge("outside" if drawing else known.function_verdict(fn.__name__, module))
            if not known.is_library_function(fn):
                self.visit_all(dict.values(fn.__dict__))
                if module not in known.MODULES_OF_GUARDS:
                    self.visit_all(cell.cell_contents for cell in cells.values())
            return
        self.definitions.update((("object", id(fn)), ("object", id(fn.__dict__))))
        self.visit_all(fn.__defaults__ or ())
        self.visit_all((*dict.values(fn.__kwdefaults__ or {}), *dict.values(fn.__dict__)))
        found = scan(fn.__code__, bool(method))
        self.stores |= found.stores_elsewhere or found.stores and method != "initializer"
        self.stores_elsewhere |= found.stores_elsewhere
        if found.opaque:
            self.opaque()
        for name in found.imports - sys.modules.keys():
            self.absent(name)
        for name in found.global_stores:
            self.variable(fn.__globals__, name, self.writes)
        for name, cell in cells.items():
            (self.writes if name in found.free_stores else self.reads).add(("object", id(cell)))
            if not issubclass(type(cell.cell_contents), types.ModuleType):
                self.visit(cell.cell_contents)
        for load in found.loads:
            self.load(load, fn, cells)

    def variable(self, namespace, name, tokens):
        tokens.add(("variable", id(namespace), name))
        self.reads.add(("object", id(namespace)))

    def load(self, load, fn, cells):
        """Follow a variable, through modules as far as the attributes are named."""
        if load.scope == "free":
            value = cells[load.name].cell_contents
        elif load.scope == "import":
            value = sys.modules.get(load.name)  # or else it was judged as absent
        else:
            self.variable(fn.__globals__, load.name, self.reads)
            value = dict.get(fn.__globals__, load.name, dict.get(fn.__builtins__, load.name, _MISSING))
        path = list(load.path)
        while issubclass(type(value), types.ModuleType) and path:
            value = self.member(value, path.pop(0))
        if issubclass(type(value), types.ModuleType) and load.stored is not None:
            self.assign(value, load.stored)
        elif value is not _MISSING:
            self.visit(value)
        elif load.scope != "class":
            self.opaque()

    def member(self, module, name):
        """An attribute of a module."""
        attributes = _MODULE_ATTRIBUTES(module)
        verdict = known.module_verdict(attributes.get("__name__"))
        if verdict is None:
            self.variable(attributes, name, self.reads)
        elif verdict != "pure":
            self.judge(known.function_verdict(name, attributes["__name__"]))
            return None
        elif name not in attributes:
            return self.absent(attributes["__name__"])
        return attributes.get(name, _MISSING)

    def absent(self, module):
        """A module, or a member of it, that was not loaded so far."""
        verdict = known.module_verdict(module) or "opaque"
        self.judge("outside" if verdict == "pure" else verdict)

    def assign(self, module, name):
        attributes = _MODULE_ATTRIBUTES(module)
        if known.module_verdict(attributes.get("__name__")) is None:
            self.variable(attributes, name, self.writes)
        else:
            self.opaque()


def _instance_attributes(obj, kind):
    """The ``__dict__`` of an instance, even if its class shows something else by this name; None if it has none."""
    for base in _MRO_OF(kind):
        slot = _ATTRIBUTES_OF(base).get("__dict__")
        if type(slot) is types.GetSetDescriptorType and slot.__objclass__ is base and base is not type:
            return slot.__get__(obj)
    return None


def _has_slots(kind):
    return any(
        type(value) is types.MemberDescriptorType for base in _MRO_OF(kind) for value in _ATTRIBUTES_OF(base).values()
    )


def _is_plain(kind):
    """Whether all state of the instances is in attributes."""
    return all(known.type_verdict(base) is None or known.has_no_state(base) for base in _MRO_OF(kind))


_LOOKS = {
    id(kind): look
    for look, kinds in (
        (Walk.transparent, (tuple, frozenset, slice, property, types.MappingProxyType)),
        (Walk.transparent, (operator.itemgetter, operator.attrgetter, operator.methodcaller)),
        (Walk.bound, (types.MethodType,)),
        (Walk.builtin, (types.BuiltinFunctionType, types.MethodWrapperType)),
        (Walk.slot, (types.MethodDescriptorType, types.ClassMethodDescriptorType, types.WrapperDescriptorType)),
        (Walk.unbound, (staticmethod, classmethod)),
        (Walk.partial, (functools.partial,)),
        (Walk.proxy, (weakref.ProxyType, weakref.CallableProxyType)),
        (Walk.iterated, (np.flatiter,)),
        (Walk.buffer, (memoryview,)),
        (Walk.ufunc, (np.ufunc,)),
        (Walk.random_state, (np.random.RandomState, np.random.Generator)),
        (Walk.stdlib_random, (random.Random,)),
    )
    for kind in kinds
}
