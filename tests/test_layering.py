"""Which part of the package may import which, and how large its parts may be."""

import ast
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

import nengo_backend_tf

PACKAGE = Path(nengo_backend_tf.__file__).parent
NAME = PACKAGE.name
FILES = sorted(PACKAGE.rglob("*.py"))
PARTS = sorted({path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in FILES})


def module_name(path):
    """Full name of a file's module."""
    parts = (NAME, *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path):
    """Full names of all modules, and of members of modules, that a file imports anywhere in it."""
    package = module_name(path).split(".")
    package = package if path.name == "__init__.py" else package[:-1]
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*base, *([node.module] if node.module else [])])
            names |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return names


def imports(path, *modules):
    """What a file imports of the modules."""
    return {name for name in imported(path) for m in modules if name == m or name.startswith(f"{m}.")}


def files_of(*parts):
    found = [p for p in FILES if any(module_name(p) == f"{NAME}.{part}" or f".{part}." in f"{module_name(p)}." for part in parts)]
    assert found, parts
    return found


def part_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def own(*parts):
    return [f"{NAME}.{part}" for part in parts]


WALLS = [
    (["graph"], ["tensorflow", "keras", *own("ops", "memory", "program")]),
    (["memory.layout"], ["tensorflow", "keras", *own("ops", "program")]),
    (["memory"], ["keras", *own("ops", "program")]),
    (["ops"], ["keras", *own("memory", "program", "engine", "simulator")]),
    (["program"], ["keras", *own("engine", "simulator", "config", "signals", "inspection", "pickling")]),
    (["engine"], ["keras", *own("simulator", "config")]),
]


@pytest.mark.parametrize("parts, forbidden", WALLS, ids=lambda x: " ".join(x))
def test_walls(parts, forbidden):
    broken = {module_name(path): found for path in files_of(*parts) if (found := imports(path, *forbidden))}
    assert not broken


def test_walls_are_about_what_is_there():
    """A wall around a module that was renamed would hold by itself."""
    for parts, forbidden in WALLS:
        files_of(*parts)
        files_of(*(name.removeprefix(f"{NAME}.") for name in forbidden if name.startswith(NAME)))


def test_the_reader_of_imports(tmp_path):
    """That the walls can fail at all."""
    found = imported(PACKAGE / "engine.py")
    assert {"tensorflow", "numpy", f"{NAME}.graph.from_model", f"{NAME}.ops.nodes_of"} <= found
    assert f"{NAME}.graph.node.Node" in imported(PACKAGE / "ops" / "neurons" / "registry.py")
    assert imports(PACKAGE / "memory" / "access.py", "tensorflow") and not imports(PACKAGE / "memory" / "access.py", "tensor")


def test_only_the_configuration_imports_keras():
    assert {path.name for path in FILES if imports(path, "keras", "tensorflow.keras")} <= {"config.py"}


def test_nobody_imports_private_parts_of_tensorflow():
    private = ["tensorflow.python", "tensorflow.compiler", "tensorflow.core", "keras.src"]
    assert not {str(path): found for path in FILES if (found := imports(path, *private))}
    assert not [path for path in FILES for name in private if f"{name}." in path.read_text()]


def test_only_the_rim_imports_the_simulator():
    importers = {part_of(path) for path in FILES if imports(path, *own("simulator"))}
    assert importers <= {"__init__", "__main__", "runner", "benchmarks", "drop_in"}
    # The same by its public name.
    importers = {part_of(path) for path in FILES if imports(path, *own("Simulator"))}
    assert importers <= {"__main__", "runner", "benchmarks", "drop_in", "testing"}


def test_importing_the_package_is_quick():
    """TensorFlow takes seconds to import, which only those who build a Simulator should pay for."""
    code = "import sys, nengo_backend_tf; print(sorted({'tensorflow', 'keras', 'jax', 'torch'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"


# ---------------------------------------------------------------------------------------------------------------- sizes


def lines(path):
    return len(path.read_text().splitlines())


def test_no_file_is_long():
    assert {str(path): lines(path) for path in FILES if lines(path) > 400} == {}


def test_most_files_are_short():
    assert statistics.median(lines(path) for path in FILES if path.name != "__init__.py") < 150


def test_no_function_is_long():
    long = {
        f"{path.name}: {node.name}": node.end_lineno - node.lineno + 1
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno - node.lineno + 1 > 60
    }
    assert long == {}


def test_every_file_says_what_it_is_for():
    silent = [str(path) for path in FILES if path.read_text().strip() and not ast.get_docstring(ast.parse(path.read_text()))]
    assert silent == []
