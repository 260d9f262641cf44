"""What a file of a damaged filesystem is found to be."""

import os

import pytest

from spindlemark.families.integrity import read_program, tree

SEED = 7


@pytest.fixture
def files(tmp_path):
    """Three files as a disk of the family has them."""
    for number in range(3):
        path = tmp_path / tree.path(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(tree.content(number, SEED))
    return tmp_path


def test_files_that_are_not_whole_are_named(files):
    (files / tree.path(0)).write_bytes(tree.content(0, SEED)[:-1])
    (files / tree.path(1)).unlink()
    assert read_program.main(files, 3, SEED) == {"error": [], "missing": [1], "different": [0], "listing": 0}


def test_a_size_beyond_the_memory_is_a_difference(files):
    """xfs_repair keeps a size in which a bit was flipped."""
    os.truncate(files / tree.path(2), 1 << 42)
    assert read_program.main(files, 3, SEED)["different"] == [2]
