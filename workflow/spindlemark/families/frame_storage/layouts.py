"""Ways of storing frames: a file for each, or all in one; of HDF5 by layout and filters, in the words of h5py and of h5repack."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["raw", "dpx", "exr", "tar", "ffv1", "zarr", "hdf5"]

DATASET = "frames"
PLUGINS = '$(python3 -c "import hdf5plugin; print(hdf5plugin.PLUGIN_PATH)")'


@dataclass(frozen=True)
class Store:
    """One way of storing. `kind` is the format of the files; the rest is of HDF5.

    `cut`: into how many parts a frame's height and width are cut, each a chunk; 0 is contiguous.

    `filters` are HDF5's numbers of them, in their order; `python` and `repack` are the words that ask for them.
    """

    title: str
    kind: Kind = "hdf5"
    cut: int = 0
    filters: tuple[int, ...] = ()
    python: Mapping[str, Any] = field(default_factory=dict)
    repack: tuple[str, ...] = ("NONE",)

    def chunk(self, shape: tuple[int, int, int]) -> tuple[int, int, int, int] | None:
        """The chunk for frames of rows x columns x colours; None is contiguous."""
        return (1, shape[0] // self.cut, shape[1] // self.cut, shape[2]) if self.cut else None

    def repacking(self, shape: tuple[int, int, int]) -> list[str]:
        """h5repack's words for frames of rows x columns x colours."""
        chunk = self.chunk(shape)
        layout = f"CHUNK={'x'.join(map(str, chunk))}" if chunk else "CONTI"
        return ["-l", f"{DATASET}:{layout}", *(word for each in self.repack for word in ("-f", f"{DATASET}:{each}"))]


LOOSE = "loose"
_BITSHUFFLE: dict[str, Any] = {
    "filters": (32008,),
    "python": {"compression": 32008, "compression_opts": (0, 2)},
    "repack": ("UD=32008,0,2,0,2",),
}
STORES = {
    LOOSE: Store("one file for each frame, its samples alone", "raw"),
    "dpx": Store("one DPX file for each frame", "dpx"),
    "exr": Store("one OpenEXR file for each frame, PIZ without loss", "exr"),
    "tar": Store("one TAR file with a DPX file for each frame", "tar"),
    "ffv1": Store("one Matroska file with FFV1, each frame by itself", "ffv1"),
    "zarr": Store("Zarr, shards of 24 frames, bitshuffle and LZ4", "zarr"),
    "contiguous": Store("HDF5, one frame after the other"),
    "chunks": Store("HDF5, a chunk for each frame", cut=1),
    "tiles": Store("HDF5, 36 chunks for each frame", cut=6),
    "gzip": Store(
        "HDF5, a chunk for each frame, shuffled, gzip 1",
        cut=1,
        filters=(2, 1),
        python={"shuffle": True, "compression": "gzip", "compression_opts": 1},
        repack=("SHUF", "GZIP=1"),
    ),
    "szip": Store(
        "HDF5, a chunk for each frame, szip",
        cut=1,
        filters=(4,),
        python={"compression": "szip", "compression_opts": ("nn", 32)},
        repack=("SZIP=32,NN",),
    ),
    "zstd": Store(
        "HDF5, a chunk for each frame, shuffled, Zstandard 3",
        cut=1,
        filters=(2, 32015),
        python={"shuffle": True, "compression": 32015, "compression_opts": (3,)},
        repack=("SHUF", "UD=32015,0,1,3"),
    ),
    "bitshuffle-lz4": Store("HDF5, a chunk for each frame, bitshuffle and LZ4", cut=1, **_BITSHUFFLE),
    "tiles-bitshuffle-lz4": Store("HDF5, 36 chunks for each frame, bitshuffle and LZ4", cut=6, **_BITSHUFFLE),
}
