"""What an installation has, and what README.rst says about it."""

import re
import subprocess
import sys
from configparser import ConfigParser
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution
from pathlib import Path

import pytest

import nengo_backend_tf

ROOT = Path(__file__).resolve().parents[1]


def read_config(name):
    """Return a parsed configuration file."""
    config = ConfigParser(interpolation=None)
    config.read(ROOT / name)
    return config


def lines(text):
    """Return the lines that say something."""
    return [
        line.strip()
        for line in text.splitlines()
        if line.strip() and not line.strip().startswith("#")
    ]


def declared_entry_points():
    """Return the entry points of setup.cfg."""
    return [
        EntryPoint(*(part.strip() for part in line.split("=")), group)
        for group, text in read_config("setup.cfg")["options.entry_points"].items()
        for line in lines(text)
    ]


@pytest.mark.parametrize("entry_point", declared_entry_points(), ids=lambda ep: ep.name)
def test_entry_point_loads(entry_point):
    assert entry_point.load() is not None


def test_nengo_backend_is_the_simulator():
    (backend,) = (ep for ep in declared_entry_points() if ep.group == "nengo.backends")

    assert backend.load() is nengo_backend_tf.Simulator


def test_installation_has_version_and_entry_points_of_the_sources():
    try:
        installed = distribution("nengo_backend_tf")
    except PackageNotFoundError:
        pytest.skip("the package is not installed")

    assert installed.version == nengo_backend_tf.__version__
    assert {(ep.group, ep.name, ep.value) for ep in installed.entry_points} == {
        (ep.group, ep.name, ep.value) for ep in declared_entry_points()
    }


def test_readme_has_the_command_that_ci_runs():
    command = lines((ROOT / ".ci" / "run").read_text())[-1]

    assert "tox" in command
    assert command in lines((ROOT / "README.rst").read_text())


def test_readme_runs_an_example_that_exists():
    (command,) = re.findall(
        r"^ +(.*python examples/\S+\.py)$", (ROOT / "README.rst").read_text(), re.M
    )

    assert (ROOT / command.split()[-1]).is_file()


def test_lowest_versions_tested_are_those_declared():
    required = dict(
        line.split(">=") for line in lines(read_config("setup.cfg")["options"]["install_requires"])
    )
    tested = dict(
        line.split("==") for line in lines(read_config("tox.ini")["testenv:lowest"]["deps"])
    )

    assert tested.keys() == required.keys()
    for name, version in tested.items():
        assert version in (required[name], f"{required[name]}.0")


def test_every_folder_of_the_package_is_a_package():
    folders = {path.parent for path in (ROOT / "nengo_backend_tf").rglob("*.py")}

    assert [str(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_license_is_complete():
    text = (ROOT / "LICENSE").read_text()

    assert "GNU GENERAL PUBLIC LICENSE\n                       Version 2" in text
    assert "END OF TERMS AND CONDITIONS" in text


def test_import_leaves_tensorflow_alone():
    code = (
        "import sys, nengo_backend_tf, nengo_backend_tf.testing, nengo_backend_tf.__main__;"
        "sys.exit('tensorflow' in sys.modules or 'keras' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0
