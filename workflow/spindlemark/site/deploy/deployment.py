"""Deployment: find what would change at a target, and change it, with checks before and after."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from spindlemark.core.errors import UserError, WorkflowError
from spindlemark.release.version_name import is_version
from spindlemark.site import assemble, site_root
from spindlemark.site.deploy import dead_links, frozen_files
from spindlemark.site.deploy.target import EMPTY, FOREIGN, Target, require_names

GENERATOR = b'<meta name="generator" content="Spindlemark">'
MOST_LIST, MOST_PAGE = 4 << 20, 64 << 10
SHOWN = 5
ROOT = "start page, list, feed"


@dataclass(frozen=True)
class Change:
    """What a deployment of `site` would change: digests of the files before and after, and how many frozen files were compared."""

    site: Path
    before: dict[str, str]
    after: dict[str, str]
    compared: int

    @property
    def new(self) -> list[str]:
        """Files that are not at the target yet."""
        return [path for path in self.after if path not in self.before]

    @property
    def changed(self) -> list[str]:
        """Files whose content differs at the target."""
        return [path for path, digest in self.after.items() if self.before.get(path, digest) != digest]

    @property
    def kept(self) -> int:
        """Number of deployed files that the site does not have."""
        return len(self.before.keys() - self.after.keys())

    def rows(self) -> list[tuple[str, int, int, int]]:
        """Return each part of the site with its numbers of new, changed and equal files; the newest version first."""
        new, changed, every = (Counter(map(part, paths)) for paths in (self.new, self.changed, self.after))
        return [
            (name, new[name], changed[name], every[name] - new[name] - changed[name])
            for name in sorted(every, reverse=True)
        ]

    def bytes(self) -> int:
        """Return the size of the files to send, in bytes."""
        return sum((self.site / path).stat().st_size for path in (*self.new, *self.changed))


def part(path: str) -> str:
    """Return the folder of the version that contains a path, or one that versions share; ROOT for all other files."""
    top = path.split("/")[0]
    return top if is_version(top) or top in ("unreleased", *assemble.SHARED) else ROOT


def plan(site: Path, target: Target, releases: Path, address: str) -> Change:
    """Find what would change at the target.

    Raises UserError if the target cannot hold this site or a release there differs, and WorkflowError if the site has dead links.
    """
    if dead := dead_links.dead(site, address):
        raise WorkflowError(f"the site has {len(dead)} dead links, for example {'; '.join(dead[:SHOWN])}")
    frozen_files.require_site(site, releases)
    files = sorted(path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file())
    require_names(files, str(site))
    listed = target.listing()
    before = _files(listed)
    _require_ours(target, before)
    _require_room(target, listed, files)
    compared = frozen_files.require_deployed(target, before, releases)
    return Change(site, before, {path: target.digest(site / path) for path in files}, compared)


def put(change: Change, target: Target, releases: Path) -> int:
    """Deploy the change and check the result; returns how many frozen files were compared.

    Raises UserError if the target rejects it, and WorkflowError if the deployed files are wrong afterwards.
    """
    new = {part(path) for path in change.new} - {part(path) for path in change.before}
    versions = sorted(name for name in new if is_version(name))
    target.put(
        change.site,
        sorted((*change.new, *change.changed), key=_late),
        f"Publish {', '.join(versions)}" if versions else "Publish pages again",
    )
    now = _files(target.listing())
    wrong = [path for path, digest in (change.before | change.after).items() if now.get(path) != digest]
    if wrong:
        raise WorkflowError(
            f"{target.name}: {len(wrong)} files differ from the deployed ones, for example {', '.join(wrong[:SHOWN])}"
        )
    return frozen_files.require_deployed(target, now, releases)


def _files(listing: dict[str, str]) -> dict[str, str]:
    return {path: digest for path, digest in listing.items() if digest != EMPTY}


def _late(path: str) -> tuple[bool, bool, str]:
    """Sort files after those that they link to: data and scripts, then pages, then the files of the root and its list."""
    return part(path) == ROOT, path.endswith(".html") or path == site_root.LIST, path


def _require_ours(target: Target, before: dict[str, str]) -> None:
    """Require that a target with files is a site of this program: it has its list of versions and its start page."""
    if not before:
        return
    problem = "has no list of versions"
    if before.get(site_root.LIST, FOREIGN) != FOREIGN:
        try:
            site_root.known(target.read(site_root.LIST, MOST_LIST).decode())
            page = before.get("index.html", FOREIGN) != FOREIGN
            if page and GENERATOR in target.read("index.html", MOST_PAGE):
                return
            problem = "its start page is not from this program"
        except (ValueError, RecursionError) as error:
            problem = f"{site_root.LIST} {error}"
    raise UserError(
        f"{target.name}: has {len(before)} files and is not a site of this program ({problem}); nothing was changed",
        "deploy to an empty target, or check its files",
    )


def _require_room(target: Target, listed: dict[str, str], files: list[str]) -> None:
    """Require that no folder, link or special file blocks the path of a file."""
    wanted = set(files)
    folders = {folder for path in files for folder in _folders(path)}
    blocked = [
        path
        for path, digest in listed.items()
        if (path in folders and digest != EMPTY)
        or (path in wanted and digest in (EMPTY, FOREIGN))
        or wanted & set(_folders(path))
    ]
    if blocked:
        raise UserError(
            f"{target.name}: {', '.join(blocked[:SHOWN])} blocks the path of a file or folder of the site; "
            "nothing was changed",
            "move it to another place",
        )


def _folders(path: str) -> list[str]:
    """List the folders that contain a path."""
    names = path.split("/")
    return ["/".join(names[:n]) for n in range(1, len(names))]
