"""What is known of Python's own library, NumPy and SciPy: which of it is pure, and which touches the outside world."""

import builtins
import sys
import types

import numpy as np

_PURE_STDLIB = frozenset(
    "abc array base64 binascii bisect cmath collections colorsys contextlib copy copyreg dataclasses enum fractions "
    "functools hashlib heapq itertools json keyword math numbers operator re reprlib sre string struct textwrap types "
    "typing weakref zlib collections_abc".split()
)
_OPAQUE_STDLIB = frozenset("ctypes gc importlib imp runpy".split())

#: What of otherwise harmless modules gives access to anything.
_OPAQUE_MEMBERS = {
    "builtins": frozenset("__import__ breakpoint compile eval exec globals locals".split()),
    "inspect": frozenset("currentframe getclosurevars getinnerframes getouterframes stack trace".split()),
    "pickle": frozenset("Unpickler load loads".split()),
    "sys": frozenset("_current_frames _getframe modules setprofile settrace".split()),
}
_PURE_SCIPY = frozenset(
    "_lib _cyutility constants fft fftpack integrate interpolate linalg ndimage signal special".split()
)
_OUTSIDE_NUMPY = frozenset("numpy.ctypeslib numpy.f2py numpy.testing numpy.distutils".split())

#: Functions and classes of NumPy that read or write files, or settings that all of NumPy shares.
_OUTSIDE_NUMPY_NAMES = frozenset(
    "DataSource fromfile fromregex genfromtxt getbufsize geterr geterrcall get_printoptions info load loadtxt "
    "memmap open_memmap save savetxt savez savez_compressed setbufsize seterr seterrcall set_printoptions "
    "set_string_function show_config show_runtime test".split()
)

_BOOKKEEPING = frozenset(
    "__abstractmethods__ __annotations__ __dataclass_fields__ __dataclass_params__ __dict__ __doc__ __match_args__ "
    "__module__ __orig_bases__ __parameters__ __slots__ __static_attributes__ __weakref__ _abc_impl "
    "_field_defaults".split()
)

_PURE_BUILTINS = frozenset(
    "abs all any ascii bin callable chr delattr dir divmod format getattr hasattr hash hex isinstance issubclass iter "
    "len max min next oct ord pow repr round setattr sorted sum vars __build_class__".split()
)

#: Builtins that assign attributes, or show a dict through which they can be assigned.
STORING_BUILTINS = frozenset({id(setattr), id(delattr), id(vars)})

_NAME_OF = type.__dict__["__name__"].__get__
_FLAGS_OF = type.__dict__["__flags__"].__get__
_MADE_BY_CLASS_STATEMENT = 1 << 9  # Py_TPFLAGS_HEAPTYPE; a few types of C extensions have it too.
_SHOWS_REFERENTS = 1 << 14  # Py_TPFLAGS_HAVE_GC

# Other types of C extensions also say that they are of "builtins", if their name was given without a module.
_BUILTIN_TYPES = frozenset(
    id(kind)
    for kind in [value for module in (builtins, types) for value in vars(module).values() if type(value) is type]
    + [type(iter(empty)) for empty in ([], (), {}, {}.values(), {}.items(), "", "é", b"", bytearray(), set(), range(0))]
    + [type(iter(range(1 << 70))), type(iter(int, 0)), type(reversed([])), type(reversed({}))]
    + [type({}.keys()), type({}.values()), type({}.items())]
)


def _module_of(kind):
    module = type.__dict__["__module__"].__get__(kind)
    return module if type(module) is str else ""


def module_verdict(name):
    """What touching a member of a module may do.

    Parameters
    ----------
    name : str

    Returns
    -------
    str or None
        "pure": nothing. "outside": it may depend on the outside world. "opaque": it may also change any variable.
        None: the module is not known.
    """
    if type(name) is not str:
        return None
    root, _, rest = name.partition(".")
    if root == "numpy":
        return "outside" if ".".join(name.split(".")[:2]) in _OUTSIDE_NUMPY else "pure"
    if root == "scipy":
        return "pure" if not rest or rest.split(".")[0] in _PURE_SCIPY else "outside"
    if root in _OPAQUE_STDLIB:
        return "opaque"
    if root.lstrip("_") in _PURE_STDLIB:
        return "pure"
    return "outside" if root in sys.stdlib_module_names else None


def whole_module_verdict(name):
    """What a module may be used for if it is not known which of its members are used: as `module_verdict`."""
    if name in _OPAQUE_MEMBERS:
        return "opaque"
    # They offer global random generators and files among others.
    return "outside" if name.partition(".")[0] in ("numpy", "scipy") else module_verdict(name)


def type_verdict(kind):
    """What using a type may do: as `module_verdict`, or "unknown" for the type of a C extension that is not known."""
    name = _module_of(kind)
    if name == "builtins":
        return "pure" if id(kind) in _BUILTIN_TYPES else "unknown"
    verdict = module_verdict(name)
    if verdict is None:
        return None if _FLAGS_OF(kind) & _MADE_BY_CLASS_STATEMENT else "unknown"
    if verdict == "opaque" or _of_numpy(name) and _NAME_OF(kind) in _OUTSIDE_NUMPY_NAMES:
        return "outside"
    return verdict


def function_verdict(name, module):
    """What using a member of a library's module may do: as `module_verdict`.

    Parameters
    ----------
    name : str
        Qualified name of the function.
    module : str
        Name of its module.
    """
    if type(module) is not str:
        return None
    if name in _OPAQUE_MEMBERS.get(module.lstrip("_"), ()):
        return "opaque"
    if module == "builtins":
        return "pure" if name in _PURE_BUILTINS else "outside"
    verdict = module_verdict(module)
    if verdict == "pure" and _of_numpy(module):
        # Of the random functions, methods of a generator act on that generator only.
        random = module.startswith("numpy.random") and "." not in name and name != "default_rng"
        return "outside" if random or name in _OUTSIDE_NUMPY_NAMES else "pure"
    return verdict


def is_library_function(function):
    """Whether a function of a library's code is one that it offers, not one that it made around a user's function."""
    if function.__closure__ is None:
        return True
    offered = sys.modules.get(function.__module__) if type(function.__module__) is str else None
    return (
        module_verdict(function.__module__) is not None
        and type(offered) is types.ModuleType
        and vars(offered).get(function.__name__) is function
    )


def draws_numbers(function):
    """Whether a library function takes a generator of random numbers, and so would use the global one by default."""
    while type(function) is types.FunctionType:
        code = function.__code__
        if {"rng", "random_state", "seed"}.intersection(code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]):
            return True
        function = function.__dict__.get("__wrapped__")
    return False


def compiled_function(obj, kind):
    """Name and module of a function of a compiled module that has a type of its own; None for anything else."""
    of, name = _module_of(kind), _NAME_OF(kind)
    # What Cython's types show as their module is meant for their instances.
    cython = (not of or of.startswith("_cython_")) and name.endswith("cython_function_or_method")
    if not cython and (of, name) not in {("numpy", "_ArrayFunctionDispatcher"), ("uarray", "_Function")}:
        return None
    module = obj.__module__
    return getattr(obj, "__qualname__", ""), module if type(module) is str else ""


#: Modules that wrap functions to guard against recursion; what the wrappers themselves hold is of no matter.
MODULES_OF_GUARDS = frozenset({"dataclasses", "reprlib"})

#: Objects of NumPy that only look like instances with state.
STATELESS_OBJECTS = frozenset(id(obj) for obj in (np.r_, np.c_, np.s_, np.index_exp, np.mgrid, np.ogrid))


def shows_referents(kind):
    """Whether all objects that an instance holds can be found: compiled classes may hide theirs."""
    if _FLAGS_OF(kind) & _SHOWS_REFERENTS or issubclass(kind, (np.ndarray, np.generic)):
        return True
    # Those of Python's own that do not tell hold none.
    return type_verdict(kind) != "unknown" and _module_of(kind).partition(".")[0] in sys.stdlib_module_names


def is_bookkeeping(name, enumerated):
    """Whether an attribute of a class is there for Python's own use only."""
    return type(name) is str and (
        name in _BOOKKEEPING or enumerated and name.startswith("_") and name.endswith("_") and name[:2] != "__"
    )


def has_no_state(kind):
    """Whether instances of a library's class hold nothing that can change, so that subclasses of it start from none."""
    return id(kind) in _STATELESS_BASES or _module_of(kind) in _STATELESS_MODULES


_STATELESS_MODULES = frozenset({"abc", "collections.abc", "dataclasses", "enum", "typing"})
_STATELESS_BASES = frozenset(map(id, (object, tuple, int, float, complex, str, bytes, frozenset)))


def _of_numpy(module):
    return module.partition(".")[0] == "numpy"
