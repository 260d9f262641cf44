"""Places of faults on real filesystems, compared with what the filesystem's own tools say."""

import re
import subprocess

import pytest

from spindlemark import config
from spindlemark.families.integrity import disks, faults, places, tree
from spindlemark.families.integrity.faults import Fault
from spindlemark.families.integrity.places import Place
from spindlemark.families.integrity.tree import BLOCK
from spindlemark.testbeds import kernel, recorded

FILES, SEED, SIZE = 90, 5, 512 << 20
DATA_BLOCKS = sum(len(tree.content(file, SEED)) for file in range(FILES)) // BLOCK


@pytest.fixture
def filled(private):
    """A function that makes a filesystem with the files; it returns images and the blocks that filefrag says of file 3."""
    with recorded.work_folder(4 * SIZE) as memory:

        def fill(name, *options, devices=1):
            images = disks.make(memory / "pristine", "places", SIZE, devices)
            point = memory / "mounted"
            point.mkdir()
            with disks.attached(images) as nodes:
                with disks.claimed(nodes, "places") as claimed:
                    made = disks.run([*config.load().filesystems[name].mkfs, *options, *claimed])
                    assert made.exit_code == 0, made.stderr
                assert disks.mount(nodes, name, [], point).exit_code == 0
                tree.write(point, FILES, SEED)
                shown = subprocess.run(
                    ["filefrag", "-sv", point / tree.path(3)], capture_output=True, text=True, check=True
                )
                disks.unmount(point)
                if name == "btrfs":
                    disks.forget_btrfs(nodes)
            spans = re.findall(r"^\s+\d+:\s+\d+\.\.\s*\d+:\s+(\d+)\.\.\s*(\d+):", shown.stdout, re.MULTILINE)
            return images, {block for first, last in spans for block in range(int(first), int(last) + 1)}

        yield fill


@pytest.fixture
def private(needs_root):
    kernel.own_mount_namespace()


@pytest.mark.parametrize("name", ["ext4", "xfs"])
def test_data_are_where_filefrag_says_and_metadata_elsewhere(filled, name):
    images, blocks = filled(name)
    data = places.of_data(images, FILES, SEED)
    assert len(data) == DATA_BLOCKS and {place.block for place in data if place.file == 3} == blocks
    metadata = places.of_metadata(images, FILES, SEED, name)
    assert not {place.block for place in metadata} & {place.block for place in data}
    assert 0 in {place.block for place in metadata}, "the superblock"
    assert 20 < len(metadata) < 300, "without the journal or log"


@pytest.mark.parametrize(("options", "devices"), [(["-d", "dup", "-m", "dup"], 1), (["-d", "raid1", "-m", "raid1"], 2)])
def test_each_copy_is_found(filled, options, devices):
    images, _ = filled("btrfs", *options, devices=devices)
    data = places.of_data(images, FILES, SEED)
    assert len(data) == 2 * DATA_BLOCKS
    metadata = places.of_metadata(images, FILES, SEED, "btrfs")
    assert {place.image for place in data} == {place.image for place in metadata} == set(range(devices))
    assert all({(image, 16), (image, 16384)} <= {(p.image, p.block) for p in metadata} for image in range(devices))
    assert not {(p.image, p.block) for p in data} & {(p.image, p.block) for p in metadata}


def test_faults_are_drawn_by_seed_and_in_distinct_files():
    candidates = [Place(0, block, block // 4) for block in range(40)]
    drawn = faults.choose(candidates, "bit", 8, "1")
    assert drawn == faults.choose(candidates, "bit", 8, "1") != faults.choose(candidates, "bit", 8, "2")
    assert len({fault.place.file for fault in drawn}) == len(drawn) == 8
    assert len(faults.choose(candidates, "sector", 20, "1")) == 10, "there are ten files"
    assert len(faults.choose([Place(0, 1), Place(0, 2)], "bit", 20, "1")) == 20


def test_a_fault_changes_one_bit_or_the_whole_block(tmp_path):
    image = tmp_path / "image"
    image.write_bytes(bytes(3 * BLOCK))
    assert Fault(Place(0, 1), 12, 1).inject([image])
    assert image.read_bytes() == bytes(BLOCK + 1) + b"\x10" + bytes(2 * BLOCK - 2)
    assert Fault(Place(0, 2), None, 1).inject([image])
    after = image.read_bytes()
    assert len(after) == 3 * BLOCK and len(set(after[2 * BLOCK :])) > 200 and after[:BLOCK] == bytes(BLOCK)
