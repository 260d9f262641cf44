"""The graph of study 000: the same bytes each time, all of it there, and what is not there is told."""

import hashlib
from pathlib import Path

import olefile
import pytest

from spindlemark.core.compound_files import SECTORS
from spindlemark.families.shared.aaf import graph
from spindlemark.families.shared.aaf.graph import Shape


@pytest.mark.parametrize("sector", SECTORS)
def test_same_bytes_come_out_each_time_and_everything_is_read_back(tmp_path: Path, sector: int) -> None:
    shape = Shape(5, sector, essence_bytes=5000)
    sums = []
    for name in ("one", "two"):
        graph.write(tmp_path / name, shape)
        sums.append(hashlib.sha1((tmp_path / name).read_bytes()).hexdigest())
    assert sums[0] == sums[1]
    seen = graph.read(tmp_path / "one")
    assert seen.complaint(shape) is None
    assert seen.objects > seen.mobs > seen.resolved / 3
    with olefile.OleFileIO(tmp_path / "one") as independent:
        assert independent.sector_size == sector
        essence = [independent.get_size(path) for path in independent.listdir() if path[-1].startswith("Data-2702")]
    assert essence == [5000] * 15


def test_another_seed_and_another_shape_are_another_file(tmp_path: Path) -> None:
    graph.write(tmp_path / "one", Shape(2))
    graph.write(tmp_path / "two", Shape(2, seed=2))
    assert (tmp_path / "one").read_bytes() != (tmp_path / "two").read_bytes()
    assert graph.read(tmp_path / "one").complaint(Shape(3)) == "10 of 14 mobs, 19 of 28 clips, 18 of 27 resolved"


def test_an_opened_file_gets_the_same_bytes_as_a_path(tmp_path: Path) -> None:
    graph.write(tmp_path / "path", Shape(2))
    with (tmp_path / "opened").open("wb+") as file:
        graph.write(file, Shape(2))
    assert (tmp_path / "path").read_bytes() == (tmp_path / "opened").read_bytes()
    assert graph.read((tmp_path / "opened").open("rb")).complaint(Shape(2)) is None
