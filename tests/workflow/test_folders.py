"""Folders with names that a shell or a format string would take apart."""

import pytest

from bed import Bed
from spindlemark.core.record import read_record


@pytest.mark.parametrize("name", ["a b {testbed} $(id) 'ü'"])
def test_a_testbed_works_in_any_folder(tmp_path, needs_root, name):
    bed = Bed(tmp_path / name)
    try:
        spec = bed.spec("ext4")
        bed.call(spec)
        assert read_record(spec.parent / "rep-1.json").status == "ok"
    finally:
        bed.remove()
