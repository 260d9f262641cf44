"""The modules behind a program, as rules have them for input."""

import subprocess
import sys

import pytest

from spindlemark.core import code_files
from spindlemark.core.paths import PROJECT

LOADED = """\
import sys, importlib
importlib.import_module(sys.argv[1])
print(*(module.__file__ for name, module in sys.modules.items() if name.split(".")[0] == "spindlemark"), sep="\\n")
"""
PROGRAMS = ["spindlemark.analysis.findings.__main__", "spindlemark.analysis.database", "spindlemark.site.__main__"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_all_that_a_program_loads_is_behind_it(program):
    done = subprocess.run([sys.executable, "-P", "-c", LOADED, program], capture_output=True, text=True, check=True)
    loaded = {line.removeprefix(f"{PROJECT}/") for line in done.stdout.split()}
    assert len(loaded) > 5 and loaded <= set(code_files.source_files(program))


def test_a_module_that_is_only_imported_by_another_one_counts():
    found = code_files.source_files("spindlemark.analysis.findings")
    assert "workflow/spindlemark/analysis/findings/model/table_model.py" in found
    assert "workflow/spindlemark/analysis/findings/__main__.py" in found
    assert not [file for file in found if "/site/" in file]


def test_modules_that_are_found_by_name_count():
    found = code_files.source_files("spindlemark.families.registry")
    assert "workflow/spindlemark/families/aging/family.py" in found


def test_a_program_that_is_not_here_is_refused():
    with pytest.raises(ValueError, match="nothing"):
        code_files.source_files("spindlemark.nothing")
