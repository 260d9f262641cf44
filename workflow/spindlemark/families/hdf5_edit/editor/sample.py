"""Files as they were edited in study 003, drawn by a seed: groups, attributes, and chunked datasets that nothing can shrink.

python -P -m spindlemark.families.hdf5_edit.editor.sample FILE BYTES SEED LIBVER
"""

import sys
from pathlib import Path

import h5py
import numpy as np

ROWS, COLUMNS = 256, 1024  # of a chunk of 16-bit samples: 512 KiB
CHUNK_BYTES = 2 * ROWS * COLUMNS
_CHUNKS = 16  # of a dataset at most
_FIRST = (
    "CREATE /newattrI32BE {H5T_STD_I32BE (1, 2, 3) DATA {11, 12, 21, 22, 31, 32}};",
    "CREATE /newattrF64LE {H5T_IEEE_F64LE (2, 2, 2) DATA {0.1E1, 0.2E1, -1.1E2, -1.2E2, 2.1E-3, 2.2E-3, -3.1E-3, -3.2E-2}};",
)


def commands(count: int) -> list[str]:
    """The first `count` of the source's commands, the last of which goes on with its numbers beyond the ninth."""
    more = (f"CREATE /newattr{n} {{H5T_STD_I32BE (1, 2, 3) DATA {{11, 12, 21, 22, 31, 32}}}};" for n in range(1, count))
    return [*_FIRST, *more][:count]


def names(count: int) -> list[str]:
    """The attributes that these commands create."""
    return [line.split()[1][1:] for line in commands(count)]


def write(path: Path, size: int, seed: int, libver: str) -> None:
    """Make a file of about `size` bytes, at least one chunk; the same bytes for the same seed, HDF5 and NumPy."""
    chunks = max(1, round(size / CHUNK_BYTES))
    generator = np.random.default_rng(seed)
    with h5py.File(path, "w", libver=(libver, "latest")) as file:
        file.attrs["Mission_Name"] = np.bytes_("drawn by a seed")
        for number, first in enumerate(range(0, chunks, _CHUNKS)):
            group = file.create_group(f"All_Data/Granule_{number}")
            group.attrs["N_Granule_ID"] = number
            rows = ROWS * min(_CHUNKS, chunks - first)
            made = group.create_dataset("Radiance", (rows, COLUMNS), "<u2", chunks=(ROWS, COLUMNS))
            made.attrs["unit"] = np.bytes_("W/(cm^2 sr)")
            made.attrs["factors"] = generator.random(2)
            for row in range(0, rows, ROWS):
                made[row : row + ROWS] = generator.integers(0, 1 << 16, (ROWS, COLUMNS), np.uint16)


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
