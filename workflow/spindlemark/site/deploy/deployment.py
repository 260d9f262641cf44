"""Publishing: what would change at a target, and the change itself, checked before and after."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from spindlemark.core.errors import UserError, WorkflowError
from spindlemark.release.version_name import is_version
from spindlemark.site import site_root
from spindlemark.site.deploy import dead_links, frozen_files
from spindlemark.site.deploy.target import FOREIGN, Target, require_names

GENERATOR = b'<meta name="generator" content="Spindlemark">'
MOST_LIST, MOST_PAGE = 4 << 20, 64 << 10
SHOWN = 5
ROOT = "start page, list, feed"


@dataclass(frozen=True)
class Change:
    """What publishing `site` would do: paths that are new, that differ, and how many are as they are or kept."""

    site: Path
    before: dict[str, str]
    after: dict[str, str]
    compared: int

    @property
    def new(self) -> list[str]:
        """The files that are not at the target yet."""
        return [path for path in self.after if path not in self.before]

    @property
    def changed(self) -> list[str]:
        """The files whose content differs at the target."""
        return [path for path, digest in self.after.items() if self.before.get(path, digest) != digest]

    @property
    def kept(self) -> int:
        """Files online that the site does not have."""
        return len(self.before.keys() - self.after.keys())

    def rows(self) -> list[tuple[str, int, int, int]]:
        """Part of the site, and how many of its files are new, changed and the same; the newest version first."""
        new, changed, every = (Counter(map(part, paths)) for paths in (self.new, self.changed, self.after))
        return [
            (name, new[name], changed[name], every[name] - new[name] - changed[name])
            for name in sorted(every, reverse=True)
        ]

    def bytes(self) -> int:
        """Size of what would be sent."""
        return sum((self.site / path).stat().st_size for path in (*self.new, *self.changed))


def part(path: str) -> str:
    """The version's folder that a path is in; ROOT for all that belongs to none."""
    top = path.split("/")[0]
    return top if is_version(top) or top == "unreleased" else ROOT


def plan(site: Path, target: Target, releases: Path, address: str) -> Change:
    """What would change at the target. Raises UserError when it is no place for this site or a release there differs.

    A site with a dead link, below the address under which it is served, is a defect of ours: WorkflowError.
    """
    if dead := dead_links.dead(site, address):
        raise WorkflowError(f"the site has {len(dead)} dead links, as {'; '.join(dead[:SHOWN])}")
    frozen_files.require_site(site, releases)
    files = sorted(path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file())
    require_names(files, str(site))
    before = target.listing()
    _require_ours(target, before)
    _require_room(target, before, files)
    compared = frozen_files.require_online(target, before, releases)
    return Change(site, before, {path: target.digest(site / path) for path in files}, compared)


def put(change: Change, target: Target, releases: Path) -> int:
    """Put it online and check what is there then; returns how many frozen files were compared.

    Raises UserError where it cannot be put, WorkflowError when something else is online than should.
    """
    new = {part(path) for path in change.new} - {part(path) for path in change.before}
    versions = sorted(name for name in new if is_version(name))
    target.put(
        change.site,
        sorted((*change.new, *change.changed), key=_late),
        f"Publish {', '.join(versions)}" if versions else "Publish pages anew",
    )
    now = target.listing()
    wrong = [path for path, digest in (change.before | change.after).items() if now.get(path) != digest]
    if wrong:
        raise WorkflowError(
            f"{target.words}: {len(wrong)} files are not what was published, as {', '.join(wrong[:SHOWN])}"
        )
    return frozen_files.require_online(target, now, releases)


def _late(path: str) -> tuple[bool, bool, str]:
    """What others link to comes first: data and scripts before pages, and the root's own files, its list too, last."""
    return part(path) == ROOT, path.endswith(".html") or path == site_root.LIST, path


def _require_ours(target: Target, before: dict[str, str]) -> None:
    """A place that holds anything holds a site of this program: its list of versions, and a start page that says so."""
    if not before:
        return
    problem = "has no list of versions"
    if before.get(site_root.LIST, FOREIGN) != FOREIGN:
        try:
            site_root.known(target.read(site_root.LIST, MOST_LIST).decode())
            page = before.get("index.html", FOREIGN) != FOREIGN
            if page and GENERATOR in target.read("index.html", MOST_PAGE):
                return
            problem = "its start page is somebody else's"
        except (ValueError, RecursionError) as error:
            problem = f"{site_root.LIST} {error}"
    raise UserError(
        f"{target.words}: holds {len(before)} files and is no site of this program ({problem}); nothing was changed",
        "publish to an empty place, or see what lies there",
    )


def _require_room(target: Target, before: dict[str, str], files: list[str]) -> None:
    """Where a file belongs nothing else may stand: no folder, and no link in any part of its path."""
    wanted = set(files)
    folders = {folder for path in files for folder in _folders(path)}
    blocked = [
        path
        for path, digest in before.items()
        if path in folders or (digest == FOREIGN and path in wanted) or wanted & set(_folders(path))
    ]
    if blocked:
        raise UserError(
            f"{target.words}: {', '.join(blocked[:SHOWN])} stands where a file or folder of the site "
            "belongs and is none; nothing was changed",
            "move it away",
        )


def _folders(path: str) -> list[str]:
    """The folders that a path is in."""
    names = path.split("/")
    return ["/".join(names[:n]) for n in range(1, len(names))]
