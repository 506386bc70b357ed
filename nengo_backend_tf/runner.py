"""Runs a script that says ``nengo.Simulator`` on this backend, otherwise as Python runs it."""

import builtins
import functools
import importlib.util
import io
import os
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType

import nengo.simulator

from .drop_in import backend_simulator, replace_references

USAGE = """\
usage: nengo-tf script.py [argument ...]
       nengo-tf -m module [argument ...]

Run a script, or a module, with nengo_backend_tf.Simulator in place of nengo.Simulator.
"python -m nengo_backend_tf" does the same as "nengo-tf". Arguments go to the script.
"""


def main(argv=None):
    """Run the command line.

    Parameters
    ----------
    argv : list of str, optional
        The arguments without the program's name, by default those of this process.

    Returns
    -------
    int
        The exit code. What the script raises is not caught, so that Python itself ends as
        it does for any script.
    """
    arguments = sys.argv[1:] if argv is None else list(argv)
    if not arguments:
        sys.stderr.write(USAGE)
        return 2
    first, rest = arguments[0], arguments[1:]
    if first in ("-h", "--help"):
        sys.stdout.write(USAGE)
        return 0
    if first == "-m" and not rest:
        sys.stderr.write(f"Argument expected for the -m option\n{USAGE}")
        return 2
    if first == "-m":
        return run_module(rest[0], rest[1:])
    if first.startswith("-"):
        sys.stderr.write(
            f"unknown option {first}: expected a script, -m or --help\n{USAGE}"
        )
        return 2
    return run_script(first, rest)


def run_script(path, arguments):
    """Run a file as ``python path arguments``."""
    absolute = os.path.abspath(path)
    try:
        with io.open_code(absolute) as file:
            source = file.read()
    except OSError as error:
        reason = f"[Errno {error.errno}] {error.strerror}"
        return _fail(2, f"can't open file {absolute!r}: {reason}")
    use_backend()
    _set_arguments(path, arguments, os.path.dirname(os.path.realpath(absolute)))
    namespace = _new_main(
        __file__=absolute,
        __cached__=None,
        __loader__=SourceFileLoader("__main__", absolute),
    )
    compile_source = functools.partial(
        compile, source, absolute, "exec", dont_inherit=True
    )
    execute(compile_source, namespace)
    return 0


def run_module(name, arguments):
    """Run a module as ``python -m name arguments``."""
    use_backend()
    # While Python looks for the module, and imports its parents, argv[0] is "-m".
    _set_arguments("-m", arguments, os.getcwd())
    spec, problem = find_module(name)
    if problem is not None:
        return _fail(1, problem)
    sys.argv[0] = spec.origin
    namespace = _new_main(
        __file__=spec.origin,
        __cached__=spec.cached,
        __loader__=spec.loader,
        __package__=spec.parent,
        __spec__=spec,
    )
    execute(functools.partial(spec.loader.get_code, spec.name), namespace)
    return 0


def find_module(name):
    """Find the module that ``python -m name`` runs.

    Returns
    -------
    spec : importlib.machinery.ModuleSpec or None
        The module's, or that of a package's ``__main__``.
    problem : str or None
        What Python says where there is no such module.
    """
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        reason = f"{type(error).__name__}: {error}"
        problem = f"Error while finding module specification for {name!r} ({reason})"
        return None, problem
    if spec is None:
        return None, f"No module named {name}"
    if spec.submodule_search_locations is not None:
        main_spec, problem = find_module(f"{name}.__main__")
        if problem is not None:
            problem += f"; {name!r} is a package and cannot be directly executed"
        return main_spec, problem
    if not hasattr(spec.loader, "get_code"):
        return None, f"No code object available for {name}"
    return spec, None


def use_backend():
    """Put this backend's Simulator in place of nengo's for the rest of the process.

    For good, since threads and exit handlers of the script run on after its last line, and
    they too may build simulators.
    """
    replace_references(nengo.simulator.Simulator, backend_simulator())


def execute(get_code, namespace):
    """Execute code, so that a traceback of what it raises begins at that code."""
    try:
        exec(get_code(), namespace)
    except BaseException as error:
        _show_from(error, error.__traceback__.tb_next)
        raise


def _show_from(error, traceback):
    # The error goes on to Python's own top level, which alone knows how to end for a
    # SystemExit or a KeyboardInterrupt, and picks up our frames on the way. They are taken
    # off where it is shown. The script may have set a hook of its own: that one shows it.
    show = sys.excepthook

    def excepthook(kind, value, full_traceback):
        if value is error:
            full_traceback = value.__traceback__ = traceback
        show(kind, value, full_traceback)

    sys.excepthook = excepthook


def _new_main(**attributes):
    module = ModuleType("__main__")
    vars(module).update(attributes, __builtins__=builtins)
    # It stays there when the script has ended: what pickles its objects later needs it.
    sys.modules["__main__"] = module
    return vars(module)


def _set_arguments(program, arguments, folder):
    sys.argv = [program, *arguments]
    # With "python -P", Python puts no folder in front, so there is none to exchange.
    if not sys.flags.safe_path:
        sys.path[0] = folder


def _fail(code, message):
    sys.stderr.write(f"{sys.executable}: {message}\n")
    return code
