"""Lets this backend's Simulator stand in for ``nengo.Simulator``, wherever that is named."""

import contextlib
import sys
from types import ModuleType

import nengo.simulator


def replace_references(old, new):
    """Replace an object in every loaded module that names it.

    ``from nengo import Simulator`` leaves a second name of the class in the importing
    module, so all modules are looked at. Modules of this package keep what they have: they
    may build on the original.

    Parameters
    ----------
    old : object
        What the modules name now.
    new : object
        What they shall name instead.

    Returns
    -------
    list of (dict, str)
        Each module's namespace and the name that was replaced in it.
    """
    places = [
        (namespace, name)
        for namespace in _namespaces()
        for name, value in list(namespace.items())
        if value is old
    ]
    for namespace, name in places:
        namespace[name] = new
    return places


@contextlib.contextmanager
def simulator_replaced():
    """Within the context, ``nengo.Simulator`` is this backend's Simulator.

    So it is for all code that looks the name up within the context: ``nengo.Simulator``,
    ``nengo.simulator.Simulator``, ``from nengo import Simulator``, ``isinstance`` tests and
    subclasses. A class that was derived from nengo's own before stays as it is.

    Examples
    --------
    .. code-block:: python

       with simulator_replaced():
           import somebodys_model  # says nengo.Simulator

           somebodys_model.run()
    """
    original = nengo.simulator.Simulator
    places = replace_references(original, backend_simulator())
    try:
        yield
    finally:
        for namespace, name in places:
            namespace[name] = original


def backend_simulator():
    """Return this backend's Simulator, which is imported at the first call."""
    from . import Simulator

    return Simulator


def _namespaces():
    package = __name__.partition(".")[0]
    for name, module in list(sys.modules.items()):
        # Some entries are not modules, and some are modules that load when an attribute
        # is read in the usual way.
        if isinstance(module, ModuleType) and name.partition(".")[0] != package:
            yield object.__getattribute__(module, "__dict__")
