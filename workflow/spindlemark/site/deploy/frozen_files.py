"""The frozen files of a site: data files, records and contributions, as the manifests of the releases list them."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from spindlemark.core.errors import UserError
from spindlemark.release import manifest
from spindlemark.release import versions as release
from spindlemark.release.version_name import is_version
from spindlemark.site import address, downloads, machines, record_packs
from spindlemark.site.deploy.target import Target

REBUILD = "remove data/build/ and deploy again"


class Frozen(NamedTuple):
    """A file of a release: its place in the site, its path (None for a pack of records), and the SHA-256 of its content."""

    place: str
    file: Path | None
    sha256: str


def _place(*parts: str) -> str:
    return "/".join(map(address.slug, parts))


def files(folder: Path) -> Iterator[Frozen]:
    """Yield every file of the release in `folder` that a site offers."""
    whole = release.read(folder)
    own = manifest.of_file(folder, manifest.NAME)
    yield Frozen(f"{whole.version}/download/{manifest.NAME}", folder / manifest.NAME, own.sha256)
    for pack in record_packs.packed(manifest.records(folder)):
        yield Frozen(record_packs.place(pack.name), None, pack.name)
    for listed in whole.files:
        top, *parts = listed.path.split("/")
        if listed.path in downloads.LEFT_OUT:
            continue
        if not parts:
            yield Frozen(f"{whole.version}/download/{listed.path}", folder / listed.path, listed.sha256)
        elif top == "joined":
            yield Frozen(f"{machines.CONTRIBUTIONS}/{_place(*parts)}", folder / listed.path, listed.sha256)


def require_site(site: Path, releases: Path) -> None:
    """Raise UserError if the built site does not offer exactly the bytes of each release."""
    for version in release.versions(releases):
        release.verify(releases / version.version)
        for frozen in files(releases / version.version):
            built = site / frozen.place
            if not built.is_file():
                if not frozen.place.startswith(f"{version.version}/download/"):
                    continue
                raise UserError(f"{built}: is missing, but is part of the release", REBUILD)
            if _sha256(site, frozen) != frozen.sha256:
                raise UserError(f"{built}: differs from the release", REBUILD)


def _sha256(site: Path, frozen: Frozen) -> str:
    """SHA-256 of a file, or the name that the content of a pack gives it; empty for a damaged pack."""
    if frozen.file:
        return hashlib.sha256((site / frozen.place).read_bytes()).hexdigest()
    try:
        return record_packs.name_of(record_packs.read(site, frozen.sha256))
    except (OSError, ValueError):
        return ""


def deployed(listing: dict[str, str]) -> list[str]:
    """List the deployed releases: each folder with the name of a release and a manifest."""
    end = f"/download/{manifest.NAME}"
    return sorted(filter(is_version, (path.removesuffix(end) for path in listing if path.endswith(end))))


def require_deployed(target: Target, listing: dict[str, str], releases: Path) -> int:
    """Compare the deployed files with the manifests of the releases; returns the number of compared files.

    A pack of records has the hash of its content as its name, and no other content ever takes its place.

    Raises UserError for a release that is missing in this clone, and for a file that differs.
    """
    compared = 0
    for version in deployed(listing):
        if not (releases / version / manifest.NAME).is_file():
            raise UserError(
                f"{target.name}: release {version} is deployed but is not in this clone; nothing was changed",
                "get it first, for example with: git pull",
            )
        for frozen in files(releases / version):
            if frozen.place in listing:
                compared += 1
                if frozen.file and listing[frozen.place] != target.digest(frozen.file):
                    raise UserError(
                        f"{target.name}: the deployed file {frozen.place} differs from release {version} here; "
                        "nothing was changed",
                        "a release is never replaced: deploy to another target, or find out which of "
                        f"the two was changed; for the one here: git status data/releases/{version}",
                    )
    return compared
