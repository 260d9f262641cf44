"""Records file: the specs and raw results of many experiments in one Parquet file, byte for byte.

Its columns: `path` below a folder of records, `sha256` of the bytes in hexadecimal digits, `json`, the text of the file.
DuckDB and every other reader of Parquet can query it directly.
"""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from spindlemark.core.errors import UserError

NAME = "records.parquet"
SCHEMA = pa.schema([(name, pa.string()) for name in ("path", "sha256", "json")])
MOST_BYTES = 8 << 30  # of all records together: a hundred times the largest release so far
AT_ONCE = 256  # records in memory while reading
# Large pages: repetitions of one experiment repeat each other, and Zstandard finds this within a page only.
PAGE_BYTES, LEVEL, GROUP_ROWS = 16 << 20, 9, 4000


def write(path: Path, files: Mapping[str, bytes]) -> None:
    """Write `files` (path below a folder of records -> content in UTF-8), sorted by path; the same bytes each time."""
    names = sorted(files)
    columns = {
        "path": names,
        "sha256": [hashlib.sha256(files[name]).hexdigest() for name in names],
        "json": [files[name].decode() for name in names],
    }
    pq.write_table(
        pa.table(columns, schema=SCHEMA),
        path,
        compression="zstd",
        compression_level=LEVEL,
        data_page_size=PAGE_BYTES,
        row_group_size=GROUP_ROWS,
        use_dictionary=False,
        write_statistics=["path"],
    )


def read(path: Path, remedy: str) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of each file, sorted by path; raises UserError with `remedy` for any other file."""
    if path.is_symlink() or not path.is_file():
        raise UserError(f"{path}: is not an ordinary file", remedy)
    try:
        with pq.ParquetFile(path) as file:
            if not file.schema_arrow.equals(SCHEMA):
                raise UserError(f"{path}: its columns are not {', '.join(SCHEMA.names)}", remedy)
            groups = [file.metadata.row_group(n).total_byte_size for n in range(file.metadata.num_row_groups)]
            if sum(groups) > MOST_BYTES:
                raise UserError(f"{path}: holds more than {MOST_BYTES} bytes, the limit", remedy)
            for batch in file.iter_batches(AT_ONCE, columns=["path", "json"]):
                for name, text in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    yield name, text.encode()
    except (OSError, AttributeError, UnicodeError, pa.ArrowException) as error:  # AttributeError: a missing value
        raise UserError(f"{path}: cannot be read: {error}", remedy) from None


def repetitions(path: Path, remedy: str) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of each raw result, without the specs."""
    return ((name, content) for name, content in read(path, remedy) if not name.endswith("/spec.json"))
