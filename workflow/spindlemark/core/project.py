"""What is told of this project and of what made its Python environment: the commit, whether files differ, uv."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spindlemark.core.paths import PROJECT
from spindlemark.core.process import programs
from spindlemark.core.record import Scalar

INSTALLER = PROJECT / "data" / "build" / "bootstrap" / "installed.json"
_LIMIT_SECONDS = 60
_LENT = ("objects", "refs", "packed-refs", "index")


def state(root: Path) -> dict[str, Scalar]:
    """Commit of the repository in `root`, and whether a file of it was changed; null where git or a repository of the
    folder's owner is not there. Nothing that the repository's configuration names is run.
    """
    with _borrowed(root) as lent:
        commit = lent and _git(root, lent, "rev-parse", "--verify", "--quiet", "HEAD")
        changed = lent and _git(root, lent, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all")
    return {"project.commit": commit or None, "project.changed": None if changed is None else bool(changed)}


def tracked(root: Path) -> list[str]:
    """Every ordinary file that the repository in `root` tracks, sorted; none where `state` tells nothing."""
    with _borrowed(root) as lent:
        listed = (lent and _git(root, lent, "ls-files", "-z")) or ""
    return sorted(
        name for name in listed.split("\0") if name and (root / name).is_file() and not (root / name).is_symlink()
    )


def installer(report: Path = INSTALLER) -> dict[str, Scalar]:
    """Version and SHA-256 of the uv that made the environment, as pip reported them; null where another one did."""
    try:
        (entry,) = json.loads(report.read_text())["install"]
        archive = entry["download_info"]["archive_info"]
        digests = archive.get("hashes") or dict([archive["hash"].split("=")])  # the second is that of an older pip
        return {"python.uv.version": entry["metadata"]["version"], "python.uv.sha256": digests["sha256"]}
    except (OSError, ValueError, LookupError, TypeError):
        return {"python.uv.version": None, "python.uv.sha256": None}


@contextmanager
def _borrowed(root: Path) -> Iterator[Path | None]:
    """A git folder of our own with the commits and the index of the one in `root`, and without its configuration, hooks
    and attributes, which name programs. None where there is none, or one of somebody else than the folder's owner.
    """
    theirs = root / ".git"
    with tempfile.TemporaryDirectory(prefix="spindlemark-git-") as made:
        ours = Path(made)
        try:
            if theirs.lstat().st_uid not in (root.stat().st_uid, 0) or not (theirs / "HEAD").is_file():
                raise PermissionError
            (ours / "HEAD").write_text((theirs / "HEAD").read_text())
        except (OSError, ValueError):
            yield None
            return
        for name in _LENT:
            if (theirs / name).exists():
                (ours / name).symlink_to(theirs / name)
        yield ours


def _git(root: Path, folder: Path, *words: str) -> str | None:
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
        text=True,
        timeout=_LIMIT_SECONDS,
        env=environment,
        cwd=root,
    )
    return done.stdout.strip() if done.returncode == 0 else None
