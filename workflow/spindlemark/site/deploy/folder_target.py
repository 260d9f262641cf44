"""Target: a folder that is served, copied by rsync or mounted. No link in it is followed, and no file in it is ever incomplete."""

import fcntl
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from spindlemark.core import paths
from spindlemark.core.errors import UserError, as_user_error
from spindlemark.site.deploy.target import EMPTY, FOREIGN, require_names, sha256

PARTIAL = ".spindlemark-partial"
OPEN = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
INSIDE = os.O_RDONLY | os.O_DIRECTORY | OPEN


class Folder:
    """A folder, created if its parent exists. New files are written to a temporary folder in it and renamed when all are complete."""

    def __init__(self, path: Path) -> None:
        self.name = f"folder {path}"
        with _user_errors(path):
            self._path = path.resolve()
            if self._path.is_relative_to(paths.ROOT / "data") or paths.ROOT.is_relative_to(self._path):
                raise UserError(f"{path}: contains the project or is in its data folder", "deploy to another folder")
            if self._path.exists() and not self._path.is_dir():
                raise UserError(f"{path}: is not a folder", "name another one")
            if not self._path.parent.is_dir():
                raise UserError(f"{path}: there is no folder {self._path.parent}", "create it, or name another")

    def listing(self) -> dict[str, str]:
        """Return each file of the target with its digest."""
        found: dict[str, str] = {}
        if not self._path.exists():
            return found
        with _user_errors(self._path), _opened(self._path) as root:
            for at, folders, files, inside in os.fwalk(".", dir_fd=root, follow_symlinks=False, onerror=_raised):
                if at == "." and PARTIAL in folders:
                    folders.remove(PARTIAL)
                links = [name for name in folders if stat.S_ISLNK(os.lstat(name, dir_fd=inside).st_mode)]
                if at != "." and not (files or folders):
                    found[os.path.normpath(at)] = EMPTY
                for name in (*files, *links):
                    found[os.path.normpath(f"{at}/{name}")] = _digest(name, inside)
        require_names(found, self.name)
        return found

    def digest(self, file: Path) -> str:
        """Return the SHA-256 of a local file."""
        return sha256(file)

    def read(self, path: str, most: int) -> bytes:
        """Return the first `most` bytes of a file of the target."""
        with _user_errors(self._path), _opened(self._path) as root, ExitStack() as stack:
            *folders, name = path.split("/")
            descriptor = os.open(name, os.O_RDONLY | OPEN, dir_fd=_inside(root, folders, stack))
            with os.fdopen(descriptor, "rb") as stream:
                return stream.read(most)

    def put(self, site: Path, paths: list[str], message: str) -> None:
        """Add or replace the files `paths` of the site."""
        with _user_errors(self._path):
            self._path.mkdir(exist_ok=True)
            with _opened(self._path) as root, _partial(root) as partial:
                for number, path in enumerate(paths):
                    _write(site / path, str(number), partial)
                os.sync()
                for number, path in enumerate(paths):
                    *folders, name = path.split("/")
                    with ExitStack() as stack:
                        inside = _inside(root, folders, stack, make=True)
                        os.rename(str(number), name, src_dir_fd=partial, dst_dir_fd=inside)


def _raised(error: OSError) -> None:
    """Raise instead of leaving out a folder that cannot be read."""
    raise error


def _digest(name: str, folder: int) -> str:
    """Return the SHA-256 of a regular file; FOREIGN for anything else, which is not read."""
    if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        return FOREIGN
    with os.fdopen(os.open(name, os.O_RDONLY | OPEN, dir_fd=folder), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            return FOREIGN
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _inside(root: int, folders: list[str], stack: ExitStack, make: bool = False) -> int:
    """Open a folder below `root` step by step, to follow no link in its path."""
    inside = root
    for name in folders:
        if make:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=inside)
        inside = os.open(name, INSIDE, dir_fd=inside)
        stack.callback(os.close, inside)
    return inside


def _write(source: Path, name: str, partial: int) -> None:
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | OPEN, 0o644, dir_fd=partial)
    with os.fdopen(descriptor, "wb") as target, source.open("rb") as stream:
        shutil.copyfileobj(stream, target, 1 << 20)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _partial(root: int) -> Iterator[int]:
    """Create a temporary folder in the target for one deployment at a time; remove that of a killed one first."""
    try:
        fcntl.flock(root, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UserError("another deployment to this folder is running", "wait until it ends") from None
    try:
        _remove(root)
        os.mkdir(PARTIAL, 0o700, dir_fd=root)
        with ExitStack() as stack:
            yield _inside(root, [PARTIAL], stack)
    finally:
        _remove(root)


def _remove(root: int) -> None:
    if PARTIAL in os.listdir(root):
        shutil.rmtree(PARTIAL, dir_fd=root)  # raises for a link, which it does not follow


@contextmanager
def _user_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise as_user_error(error) or UserError(
            f"{path}: cannot be used: {error.strerror}",
            "make the folder readable and writable; nothing was removed",
        ) from None
