"""Pytest plugin: names the simulator under test, and nengo's settings, on the command line.

``--simulator MODULE.CLASS`` runs nengo's own tests on any backend::

    pytest --pyargs nengo --simulator nengo_backend_tf.Simulator

The option sets the ini option ``nengo_simulator`` of nengo's pytest plugin for this run, so
all else stays as that plugin has it: the ``Simulator`` fixture, tests that use no simulator
are deselected, and the ini options ``nengo_neurons``, ``nengo_test_unsupported`` and
``nengo_simloader`` hold (a loader, where the ini file names one, still goes first).

``--nengorc FILE`` gives the tests the settings of that file, instead of those that the user's own files have.

This module is loaded in every pytest run of an environment that has the package installed.
So it imports neither TensorFlow nor a simulator before the option asks for one.
"""

import configparser
import importlib
import inspect

import pytest

INI_OPTION = "nengo_simulator"


def pytest_addoption(parser):
    """Add ``--simulator`` and ``--nengorc``."""
    parser.getgroup("nengo").addoption(
        "--nengorc",
        metavar="FILE",
        help="A file of nengo's settings (nengo.rc), in place of the user's own.",
    )
    parser.getgroup("nengo").addoption(
        "--simulator",
        metavar="MODULE.CLASS",
        help="The simulator class to test, such as nengo_backend_tf.Simulator. "
        f"Wins over the ini option {INI_OPTION}.",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """Hand the named class to nengo's plugin, before any plugin asks which one it is."""
    if config.getoption("nengorc") is not None:
        read_nengorc(config.getoption("nengorc"))
    name = config.getoption("simulator")
    if name is not None:
        load_simulator(name)
        set_simulator(config, name)


def pytest_report_header(config):
    """Say which simulator the run tests."""
    name = config.getoption("simulator")
    if name is None:
        return None
    loader = config.getini("nengo_simloader")
    if loader:
        return f"nengo simulator: the one of nengo_simloader = {loader}, not {name}"
    return f"nengo simulator: {name}"


def read_nengorc(filename):
    """Make the settings of a file those of nengo.

    Parameters
    ----------
    filename : str
        Path of the file, from the folder in which pytest was called.

    Raises
    ------
    pytest.UsageError
        If there is no such file, or it is none of nengo's.
    """
    import nengo

    try:
        with open(filename) as file:
            nengo.rc.reload_rc(filenames=[])
            nengo.rc.read_file(file)
    except (OSError, configparser.Error) as error:
        raise pytest.UsageError(f"--nengorc {filename}: expected a file of nengo's settings. Got: {error}.") from error


def load_simulator(name):
    """Import a class by its full name.

    Parameters
    ----------
    name : str
        The module and the class, joined by a dot.

    Returns
    -------
    type
        The class.

    Raises
    ------
    pytest.UsageError
        If the name has no dot, does not import, or is not the name of a class.
    """
    module_name, _, class_name = name.rpartition(".")
    if not module_name or not class_name:
        raise _usage_error(name, "a name without a module")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise _usage_error(name, f"a module that does not import ({reason})") from error
    try:
        simulator = getattr(module, class_name)
    except AttributeError as error:
        raise _usage_error(name, f"a module without {class_name!r}") from error
    except ImportError as error:
        # Of a module that imports its simulator only when asked for it.
        reason = f"{type(error).__name__}: {error}"
        raise _usage_error(name, f"a class that does not import ({reason})") from error
    if not inspect.isclass(simulator):
        raise _usage_error(name, f"no class but {simulator!r}")
    return simulator


def set_simulator(config, name):
    """Set nengo's ini option, as if the ini file had it.

    Parameters
    ----------
    config : pytest.Config
        The configuration of this run.
    name : str
        The full name of the simulator class.

    Raises
    ------
    pytest.UsageError
        If nengo's plugin is not loaded, or the command line overrides its ini option.
    """
    config.inicfg[INI_OPTION] = name
    try:
        used = config.getini(INI_OPTION)
    except ValueError as error:
        raise pytest.UsageError(
            f"--simulator {name}: nengo's pytest plugin is not loaded, which has the "
            f"Simulator fixture. Install nengo, and do not pass '-p no:nengo'."
        ) from error
    if used != name:
        raise pytest.UsageError(
            f"--simulator {name}: the ini option {INI_OPTION} was set to {used!r} too, "
            f"by '-o {INI_OPTION}=...'. Give one of the two."
        )


def _usage_error(name, got):
    return pytest.UsageError(
        f"--simulator {name}: expected the full name of a simulator class, such as "
        f"nengo_backend_tf.Simulator. Got {got}."
    )
