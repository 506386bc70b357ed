"""The code of docs/architecture.md runs, and prints what the document says."""

import contextlib
import io
import re
import types
from pathlib import Path

import pytest

from nengo_backend_tf.ops.neurons import registry

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "architecture.md"
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def blocks():
    """(first line, code, expected output or None) of each block of code."""
    text = DOCUMENT.read_text()
    return [(text.count("\n", 0, m.start(1)) + 1, m[1], m[2]) for m in BLOCK.finditer(text)]


def test_all_blocks_are_found():
    text = DOCUMENT.read_text()
    assert len(blocks()) == text.count("```python") > 10
    assert sum(expected is not None for _, _, expected in blocks()) == text.count("```text") > 10


@pytest.mark.filterwarnings("error::nengo_backend_tf.ops.HostFallbackWarning")
def test_the_code_prints_what_the_document_says(monkeypatch):
    # What the document registers is for this test alone.
    monkeypatch.setattr(registry, "RULES", dict(registry.RULES))
    namespace = vars(types.ModuleType("architecture"))
    for line, code, expected in blocks():
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            # Errors point to lines of the document.
            exec(compile("\n" * (line - 1) + code, str(DOCUMENT), "exec"), namespace)
        assert printed.getvalue() == (expected or ""), f"{DOCUMENT.name}, line {line}"


def test_the_files_that_it_names_exist():
    root = DOCUMENT.parents[1]
    for name in set(re.findall(r"`((?:\w+/)*\w+\.py)`", DOCUMENT.read_text())):
        assert (root / name).exists() or (root / "nengo_backend_tf" / name).exists(), name
