"""All cases: the ``CASES`` of every ``cases_*.py`` in this folder."""

import importlib
from pathlib import Path

MODULES = sorted(path.stem for path in Path(__file__).parent.glob("cases_*.py"))
CASES = tuple(case for module in MODULES for case in importlib.import_module(module).CASES)
