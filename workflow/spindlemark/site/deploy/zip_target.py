"""Target: a zip archive of the whole site, for hosts that accept one. The same site gives the same bytes."""

import hashlib
import lzma
import os
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, cast

from spindlemark.core import atomic_write
from spindlemark.core.errors import UserError, as_user_error
from spindlemark.core.one_line import cut
from spindlemark.site.deploy.target import FOREIGN, require_names, sha256

MOMENT = (1980, 1, 1, 0, 0, 0)  # the earliest time that the format can store
MODE = 0o100644
MOST_RATIO, LEAST_LIMIT = 100, 1 << 30  # of the size of all files to that of the archive; bytes beyond it
# Damaged, encrypted (RuntimeError), or packed by a method that this program does not have (NotImplementedError).
READING = (
    zipfile.BadZipFile,
    RuntimeError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    OverflowError,
    ValueError,
)


class Archive:
    """A zip file. An existing one is extended in a new file, which replaces it once it is complete."""

    def __init__(self, path: Path) -> None:
        self.name = f"archive {path}"
        self._path = path.absolute()
        if path.suffix != ".zip":
            raise UserError(f"{path}: is not the name of a zip archive", "give it a name that ends in .zip")
        with self._readable():
            if (path.is_symlink() or path.exists()) and not stat.S_ISREG(path.lstat().st_mode):
                raise UserError(f"{path}: is not a regular file", "name another one")

    def listing(self) -> dict[str, str]:
        """Return each file of the target with its digest."""
        if not self._path.exists():
            return {}
        found: dict[str, str] = {}
        with self._opened() as archive, self._readable():
            self._require_plausible(archive)
            for entry in archive.infolist():
                ordinary = stat.S_IFMT(entry.external_attr >> 16) in (0, stat.S_IFREG) and not entry.is_dir()
                if not ordinary or entry.filename in found:
                    found[entry.filename] = FOREIGN
                    continue
                with archive.open(entry) as stream:
                    found[entry.filename] = hashlib.file_digest(cast(BytesIO, stream), "sha256").hexdigest()
        require_names(found, self.name)
        return found

    def digest(self, file: Path) -> str:
        """Return the SHA-256 of a local file."""
        return sha256(file)

    def read(self, path: str, most: int) -> bytes:
        """Return the first `most` bytes of a file of the target."""
        with self._opened() as archive, self._readable(), archive.open(path) as stream:
            return stream.read(most)

    def put(self, site: Path, paths: list[str], message: str) -> None:
        """Add or replace the files `paths` of the site."""
        with atomic_write.partial(self._path) as growing, growing.open("xb") as stream:
            self._write(stream, site, set(paths))
            stream.flush()
            os.fsync(stream.fileno())

    def _write(self, stream: BinaryIO, site: Path, paths: set[str]) -> None:
        old = self._opened() if self._path.exists() else None
        try:
            kept = {path: old for path in old.namelist() if path not in paths} if old else {}
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
                for path in sorted(paths | kept.keys()):
                    entry = zipfile.ZipInfo(path, MOMENT)
                    entry.external_attr, entry.compress_type = MODE << 16, zipfile.ZIP_DEFLATED
                    source = kept[path].open(path) if path in kept else (site / path).open("rb")
                    with source, archive.open(entry, "w", force_zip64=True) as target:
                        shutil.copyfileobj(source, target, 1 << 20)
        finally:
            if old:
                old.close()

    def _opened(self) -> zipfile.ZipFile:
        with self._readable():
            return zipfile.ZipFile(self._path)

    def _require_plausible(self, archive: zipfile.ZipFile) -> None:
        """Refuse an archive that unpacks to far more than a site does; no more than the sizes it declares is unpacked."""
        declared = sum(entry.file_size for entry in archive.infolist())
        if declared > LEAST_LIMIT + MOST_RATIO * self._path.stat().st_size:
            raise UserError(f"{self._path}: unpacks to {declared} bytes, which is not plausible", "name another file")

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Report damage of the archive, and what this program cannot unpack, as an error of the user."""
        try:
            yield
        except READING as error:
            raise as_user_error(error) or UserError(
                f"{self._path}: is not a readable zip archive: {cut(str(error))}", "name another file"
            ) from None
