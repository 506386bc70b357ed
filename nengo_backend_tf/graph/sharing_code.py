"""What the bytecode of a function names and stores to, without running it."""

import dis
from functools import lru_cache
from types import CodeType
from typing import NamedTuple, Optional

#: Attributes through which the attributes of functions and classes can be stored to without an assignment.
STORING_NAMES = frozenset({"__dict__", "__setattr__", "__delattr__", "__kwdefaults__", "keywords"})

#: Attributes that lead from an object to variables that its users do not name.
OPAQUE_NAMES = frozenset(
    "__globals__ __closure__ __builtins__ __subclasses__ cell_contents f_globals f_locals f_back f_builtins gi_frame "
    "cr_frame ag_frame tb_frame".split()
)

#: Methods that assign to attributes of an object that nothing else has seen yet.
INITIALIZERS = frozenset({"__init__", "__post_init__"})

_SILENT = frozenset({"CACHE", "EXTENDED_ARG", "NOP", "RESUME", "PRECALL", "PUSH_NULL"})
_GLOBAL_LOADS = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})
_FREE_LOADS = frozenset({"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"})
_ATTRIBUTE_LOADS = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
_ATTRIBUTE_STORES = frozenset({"STORE_ATTR", "DELETE_ATTR"})


class Load(NamedTuple):
    """A variable that is read, and the attributes that are read from it in the same expression.

    Attributes
    ----------
    scope : {"global", "class", "free", "import"}
        "class" is a name that may belong to a class body instead of the module; "import" is an absolute module name.
    name : str
    path : tuple of str
        Attributes loaded from it one after the other.
    stored : str or None
        Attribute of the last of these that is assigned or deleted.
    """

    scope: str
    name: str
    path: tuple = ()
    stored: Optional[str] = None


class Scan(NamedTuple):
    """What a code object, and those nested in it, do to variables and attributes.

    Attributes
    ----------
    loads : frozenset of Load
    imports : frozenset of str
        Absolute names of modules that it imports.
    global_stores, free_stores : frozenset of str
        Global and closure variables that are rebound or deleted.
    stores : bool
        Whether any attribute may be assigned.
    stores_elsewhere : bool
        Whether an attribute of anything but the method's own first argument may be assigned.
    opaque : bool
        Whether it may get at variables that it does not name.
    """

    loads: frozenset
    imports: frozenset
    global_stores: frozenset
    free_stores: frozenset
    stores: bool
    stores_elsewhere: bool
    opaque: bool


@lru_cache(maxsize=4096)
def scan(code, method=False, imported=()):
    """Read the bytecode of ``code`` and of the code nested in it.

    Parameters
    ----------
    code : code
    method : bool
        Whether the first argument is an instance of the class that the function was found in.
    imported : tuple of (str, str)
        Free variables that hold a module which the enclosing function imports, and the module's name.

    Returns
    -------
    Scan
    """
    instructions, joins = _instructions(code)
    bound, imported_loads, imports, clear = _imports(instructions)
    modules = {**dict(imported), **bound}
    stores, elsewhere = _attribute_stores(code, instructions, joins, method)
    names = {i.argval for i in instructions if i.opname in _ATTRIBUTE_LOADS or i.opname == "LOAD_SUPER_ATTR"}
    names.update(c for c in code.co_consts if type(c) is str)
    elsewhere = elsewhere or not names.isdisjoint(STORING_NAMES)
    # An initializer may call that of a base class.
    initializes = code.co_name not in INITIALIZERS and not names.isdisjoint(INITIALIZERS)
    free = frozenset(code.co_freevars)
    rebound = {i.argval for i in instructions if i.opname in ("STORE_DEREF", "DELETE_DEREF")}
    found = Scan(
        loads=frozenset(_loads(instructions, free, modules)) | imported_loads,
        imports=imports,
        global_stores=frozenset(i.argval for i in instructions if i.opname in ("STORE_GLOBAL", "DELETE_GLOBAL")),
        free_stores=free & rebound,
        stores=stores or elsewhere or initializes,
        stores_elsewhere=elsewhere,
        opaque=not clear or not names.isdisjoint(OPAQUE_NAMES),
    )
    for const in code.co_consts:
        if type(const) is CodeType:
            shared = tuple(sorted((name, m) for name, m in modules.items() if name in const.co_freevars))
            found = _merge(found, scan(const, False, shared), free)
    return found


def _instructions(code):
    """The instructions that do something, and the set of positions among them that are reached by jumps too."""
    kept, joins = [], set()
    for instruction in dis.get_instructions(code):
        if instruction.is_jump_target:
            joins.add(len(kept))
        if instruction.opname not in _SILENT:
            kept.append(instruction)
    return kept, joins


def _merge(outer, inner, free):
    """Add what nested code does; its free variables that are not ``free`` are locals of the outer code."""
    inner = inner._replace(
        loads=frozenset(load for load in inner.loads if load.scope != "free" or load.name in free),
        free_stores=inner.free_stores & free,
    )
    return Scan(*(a | b if isinstance(a, frozenset) else a or b for a, b in zip(outer, inner)))


def _names(instruction):
    """Variables that an instruction names: some of Python 3.13 name two at once."""
    return instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)


def _loads(instructions, free, modules):
    for k, instruction in enumerate(instructions):
        op = instruction.opname
        if op in _GLOBAL_LOADS:
            scope = "global" if op == "LOAD_GLOBAL" else "class"
            yield Load(scope, instruction.argval, *_path(instructions, k + 1))
        elif op in _FREE_LOADS or ("LOAD_FAST" in op and modules):
            *others, name = _names(instruction)
            if name in modules:
                yield Load("import", modules[name], *_path(instructions, k + 1))
            elif name in free:
                yield Load("free", name, *_path(instructions, k + 1))
            for other in others:
                if other in modules:
                    yield Load("import", modules[other])


def _path(instructions, start):
    """The attributes loaded from what was just loaded, and the one stored to."""
    end = start
    while end < len(instructions) and instructions[end].opname in _ATTRIBUTE_LOADS:
        end += 1
    path = tuple(i.argval for i in instructions[start:end])
    stored = end < len(instructions) and instructions[end].opname in _ATTRIBUTE_STORES
    return path, instructions[end].argval if stored else None


def _imports(instructions):
    """Follow import statements.

    Returns
    -------
    bound : dict
        Local variable -> name of the module that it holds.
    loads : frozenset of Load
        Modules and their members that are imported in any other way.
    names : frozenset of str
        Modules that are imported.
    clear : bool
        False if there are relative imports, whose names depend on the package.
    """
    bound, loads, names, clear = {}, set(), set(), True
    for k, instruction in enumerate(instructions):
        if instruction.opname != "IMPORT_NAME":
            continue
        name, level, members = instruction.argval, instructions[k - 2].argval, instructions[k - 1].argval
        names.add(name)
        clear = clear and level == 0
        following = instructions[k + 1]
        if members and "*" not in members:
            loads.update(Load("import", name, (member,)) for member in members)
        elif not members and following.opname.startswith(("STORE_FAST", "STORE_DEREF")):
            bound[_names(following)[0]] = name.partition(".")[0]
        else:
            loads.add(Load("import", name))
    return bound, frozenset(loads), frozenset(names), clear


def _attribute_stores(code, instructions, joins, method):
    """Whether attributes are stored to, and whether to those of anything but the method's instance."""
    own = code.co_varnames[0] if method and code.co_argcount else None
    rebinding = [i for i in instructions if "STORE_FAST" in i.opname or "DELETE_FAST" in i.opname]
    if any(own in _names(i) for i in rebinding) or own in code.co_cellvars:
        own = None

    def takes_own(k):
        """Whether the instruction finds the first argument on the stack, whichever branch led there."""
        before = instructions[k - 1]
        loaded = before.opname.startswith("LOAD_FAST") and _names(before)[-1] == own
        return own is not None and loaded and k not in joins

    def augments_own(name):
        # `own.name += y` is compiled to: load own, copy it, load the name, ..., swap, store the name.
        copies = [
            k for k, (i, after) in enumerate(zip(instructions, instructions[1:]))
            if i.opname in ("COPY", "DUP_TOP") and after.opname == "LOAD_ATTR" and after.argval == name
        ]
        return bool(copies) and all(takes_own(k) for k in copies)

    stores = [k for k, i in enumerate(instructions) if i.opname in _ATTRIBUTE_STORES]
    augmented = {k for k in stores if instructions[k - 1].opname in ("SWAP", "ROT_TWO") and k not in joins}
    elsewhere = any(not (augments_own(instructions[k].argval) if k in augmented else takes_own(k)) for k in stores)
    return bool(stores), elsewhere
