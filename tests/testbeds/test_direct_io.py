"""Which filesystems take direct I/O, and which engine this kernel has for it."""

import pytest

from spindlemark.core.outcome import Unsupported
from spindlemark.testbeds import direct_io


def kernel(root, **files):
    for name, text in files.items():
        path = (
            root
            / {
                "most": "sys/fs/aio-max-nr",
                "taken": "sys/fs/aio-nr",
                "symbols": "kallsyms",
                "forbidden": "sys/kernel/io_uring_disabled",
            }[name]
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_probing_leaves_nothing(tmp_path):
    assert direct_io.supported(tmp_path) in (True, False)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_not_a_lack_of_direct_io(tmp_path):
    with pytest.raises(FileNotFoundError):
        direct_io.supported(tmp_path / "absent")


@pytest.mark.parametrize(
    ("files", "engine"),
    [
        ({"most": "65536", "taken": "0"}, "libaio"),
        ({"most": "600", "taken": "100", "symbols": "t __sys_io_uring_setup", "forbidden": "0"}, "io_uring"),
        ({"symbols": "t __sys_io_uring_setup"}, "io_uring"),
    ],
)
def test_the_engine_is_one_that_the_kernel_has(tmp_path, files, engine):
    assert direct_io.engine(512, kernel(tmp_path, **files)) == engine


@pytest.mark.parametrize(
    "files",
    [
        {"symbols": "t vfs_read"},
        {"most": "100", "taken": "0", "symbols": "t __sys_io_uring_setup", "forbidden": "2"},
    ],
)
def test_no_engine_is_unsupported(tmp_path, files):
    with pytest.raises(Unsupported, match="512 asynchronous requests"):
        direct_io.engine(512, kernel(tmp_path, **files))
