"""State of the project for records: its commit, whether files differ from it, and the uv that made the environment."""

import json
import os
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from spindlemark.core.paths import PROJECT
from spindlemark.core.process import programs
from spindlemark.core.record import Scalar

INSTALLER = PROJECT / "data" / "build" / "bootstrap" / "installed.json"
_LIMIT_SECONDS = 60
_SHARED = ("objects", "refs", "packed-refs", "index")


def state(root: Path) -> dict[str, Scalar]:
    """Commit of the repository in `root`, and whether a tracked file was changed.

    Both are null without git, or without a repository of the folder's owner. No program that the repository's
    configuration names is run.
    """
    with _safe_git_folder(root) as git:
        commit = git and _git(root, git, "rev-parse", "--verify", "--quiet", "HEAD")
        changed = git and _git(root, git, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all")
    return {"project.commit": commit or None, "project.changed": None if changed is None else bool(changed)}


def tracked(root: Path) -> list[str]:
    """Every ordinary file that the repository in `root` tracks, sorted; none where `state` is null."""
    with _safe_git_folder(root) as git:
        listed = (git and _git(root, git, "ls-files", "-z")) or ""
    return sorted(
        name for name in listed.split("\0") if name and (root / name).is_file() and not (root / name).is_symlink()
    )


def head(root: Path) -> tuple[str, str] | None:
    """Hashes of the newest commit in `root` and of its files; None where `state` has no commit."""
    with _safe_git_folder(root) as git:
        found = (git and _git(root, git, "rev-parse", "HEAD", "HEAD^{tree}")) or ""
    return (words[0], words[1]) if len(words := found.split()) == 2 else None


def changed(root: Path, except_in: Iterable[str] = ()) -> list[str]:
    """Tracked files in `root` that differ from the newest commit, without those in the folders `except_in`."""
    with _safe_git_folder(root) as git:
        listed = (git and _git(root, git, "diff", "--name-only", "-z", "HEAD", *_without(except_in))) or ""
    return sorted(name for name in listed.split("\0") if name)


def snapshot(root: Path, commit: str, except_in: Iterable[str] = ()) -> dict[str, tuple[bytes, bool]] | None:
    """Every ordinary file of a commit: path -> content, and whether it is executable; None for an unknown commit."""
    with _safe_git_folder(root) as git:
        packed = git and _run_git(root, git, "archive", "--format=tar", commit, *_without(except_in))
    if not packed:
        return None
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        files = [(member, archive.extractfile(member)) for member in archive if member.isreg()]
        return {member.name: (stream.read(), bool(member.mode & 0o100)) for member, stream in files if stream}


def installer(report: Path = INSTALLER) -> dict[str, Scalar]:
    """Version and SHA-256 of the uv that made the environment, as pip reported them; null if uv was not installed by pip."""
    try:
        (entry,) = json.loads(report.read_text())["install"]
        archive = entry["download_info"]["archive_info"]
        digests = archive.get("hashes") or dict([archive["hash"].split("=")])  # the second is that of an older pip
        return {"python.uv.version": entry["metadata"]["version"], "python.uv.sha256": digests["sha256"]}
    except (OSError, ValueError, LookupError, TypeError):
        return {"python.uv.version": None, "python.uv.sha256": None}


@contextmanager
def _safe_git_folder(root: Path) -> Iterator[Path | None]:
    """Yield a git folder of our own with the commits and the index of the one in `root`.

    It lacks the configuration, hooks and attributes, which name programs. Yield None without a repository, or if it does
    not belong to the folder's owner.
    """
    with tempfile.TemporaryDirectory(prefix="spindlemark-git-") as made:
        ours = Path(made)
        try:
            theirs, shared = _folders(root)
            owners = {folder.lstat().st_uid for folder in (root / ".git", theirs, shared)}
            if not owners <= {root.stat().st_uid, 0} or not (theirs / "HEAD").is_file():
                raise PermissionError
            (ours / "HEAD").write_text((theirs / "HEAD").read_text())
        except (OSError, ValueError):
            yield None
            return
        for name in _SHARED:
            place = theirs if name == "index" else shared
            if (place / name).exists():
                (ours / name).symlink_to(place / name)
        yield ours


def _without(folders: Iterable[str]) -> list[str]:
    """Arguments that limit a git command to the files outside `folders`."""
    return ["--", ".", *(f":(exclude){folder}" for folder in folders)]


def _folders(root: Path) -> tuple[Path, Path]:
    """The git folder of the work tree in `root`, and the one that it shares with other work trees; raises OSError."""
    named = root / ".git"
    if named.is_dir():
        return named, named
    if not named.is_file():
        raise FileNotFoundError(named)
    own = root / named.read_text().removeprefix("gitdir:").strip()
    return own, (own / (own / "commondir").read_text().strip()).resolve()


def _git(root: Path, folder: Path, *words: str) -> str | None:
    found = _run_git(root, folder, *words)
    return None if found is None else found.decode(errors="replace").strip()


def _run_git(root: Path, folder: Path, *words: str) -> bytes | None:
    if programs.find("git") is None:
        return None
    environment = {
        "PATH": os.defpath,
        "HOME": str(folder),
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_OPTIONAL_LOCKS": "0",
    }
    done = programs.run(
        ["git", f"--git-dir={folder}", f"--work-tree={root}", *words],
        capture_output=True,
        timeout=_LIMIT_SECONDS,
        env=environment,
        cwd=root,
    )
    return done.stdout if done.returncode == 0 else None
