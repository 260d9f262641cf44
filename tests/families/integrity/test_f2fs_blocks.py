"""Which blocks of an F2FS image are in use: of a real image, whose files `sload.f2fs` writes without a kernel, and of texts."""

import subprocess

import pytest

from spindlemark.core.outcome import Broken
from spindlemark.families.integrity import f2fs_blocks, places, tree
from spindlemark.families.integrity.f2fs_blocks import Layout

FILES, SEED = 60, 3
LAYOUT = Layout(segment_blocks=512, table_segments=4, segment_table=1536, node_table=3584, summaries=5632, main=6144)


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    folder = tmp_path_factory.mktemp("f2fs")
    file = folder / "disk.img"
    with file.open("wb") as made:
        made.truncate(512 << 20)
    tree.write(folder / "tree", FILES, SEED)
    for words in (["mkfs.f2fs", "-q", "-f", "-t", "0"], ["sload.f2fs", "-f", folder / "tree"]):
        subprocess.run([*words, file], check=True, capture_output=True)
    return file


def test_all_blocks_of_files_are_in_use_and_metadata_are_found_beside_them(image):
    in_use = f2fs_blocks.in_use(image)
    data = places.of_data([image], FILES, SEED)
    assert {place.file for place in data} == set(range(FILES))
    assert all(in_use(place.block) for place in data)
    metadata = places.of_metadata([image], FILES, SEED, "f2fs")
    assert len(metadata) > FILES, "each file has a node"
    assert not {place.block for place in data} & {place.block for place in metadata}
    assert {0, 1} <= {place.block for place in metadata}, "both superblocks"
    assert {file.name for file in image.parent.iterdir()} == {"disk.img", "tree"}


def test_what_is_no_f2fs_is_named(tmp_path):
    file = tmp_path / "disk.img"
    file.write_bytes(bytes(1 << 20))
    with pytest.raises(Broken, match="no superblock of F2FS"):
        f2fs_blocks.in_use(file)


def test_only_blocks_whose_bit_is_set_are_in_use_in_the_main_area():
    text = "\nsegno:       2\tvblocks:  3\tseg_type:3\tsit_pack:1\n\n  a0  00  01  00\n\nsegno:  3\tvblocks:  0\tseg_type:0\tsit_pack:1\n\n"
    first = LAYOUT.main + 2 * 512
    assert f2fs_blocks.main_blocks(text, LAYOUT) == {first, first + 2, first + 23}


def test_of_each_block_of_a_table_only_the_present_place_is_in_use():
    segments = "segno: 0\tvblocks: 0\tseg_type:3\tsit_pack:1\n\nsegno: 60\tvblocks: 0\tseg_type:3\tsit_pack:2\n"
    nodes = "nid:    3\tino:    3\toffset:    0\tblkaddr:      4096\tpack:1\nnid:  500\tino:  500\toffset: 0\tblkaddr: 9\tpack:2\n"
    expected = {1536, 1536 + 1 + 2 * 512, 3584, 3584 + 512 + 1}
    assert f2fs_blocks.table_blocks(segments, nodes, LAYOUT) == expected
