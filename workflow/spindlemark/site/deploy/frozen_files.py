"""What is frozen of a site: data files, records and other machines' bundles, as the releases' manifests list them."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from spindlemark.core.errors import UserError
from spindlemark.release import manifest
from spindlemark.release import versions as release
from spindlemark.release.version_name import is_version
from spindlemark.site import address, machines
from spindlemark.site.deploy.target import Target

OFFERED = {
    "records": "raw",
    "joined": machines.SECTION.rstrip("/"),
}  # folder of a release -> where a site may have its files
ANEW = "remove data/build/ and publish again"


class Frozen(NamedTuple):
    """Where the site has a file of a release, the file, its checksum from the manifest, which has none of its own."""

    place: str
    file: Path
    sha256: str | None


def files(folder: Path) -> Iterator[Frozen]:
    """Every file of the release in `folder` that a site offers."""
    whole = release.read(folder)
    yield Frozen(f"{whole.version}/download/{manifest.NAME}", folder / manifest.NAME, None)
    for listed in whole.files:
        top, *parts = listed.path.split("/")
        if not parts:
            yield Frozen(f"{whole.version}/download/{listed.path}", folder / listed.path, listed.sha256)
        elif top in OFFERED:
            place = "/".join(map(address.slug, parts))
            yield Frozen(f"{whole.version}/{OFFERED[top]}/{place}", folder / listed.path, listed.sha256)


def require_site(site: Path, releases: Path) -> None:
    """Raises UserError unless the built site offers the very bytes of each release."""
    for version in release.versions(releases):
        release.verify(releases / version.version)
        for frozen in files(releases / version.version):
            built = site / frozen.place
            if not built.is_file():
                if not frozen.place.startswith(f"{version.version}/download/"):
                    continue
                raise UserError(f"{built}: is missing, and the release has it", ANEW)
            with built.open("rb") as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()
            if found != (frozen.sha256 or hashlib.sha256(frozen.file.read_bytes()).hexdigest()):
                raise UserError(f"{built}: is not what was released", ANEW)


def online(listing: dict[str, str]) -> list[str]:
    """The releases that stand online: each folder that is called as one and holds a manifest."""
    end = f"/download/{manifest.NAME}"
    return sorted(filter(is_version, (path.removesuffix(end) for path in listing if path.endswith(end))))


def require_online(target: Target, listing: dict[str, str], releases: Path) -> int:
    """Compare what stands online with the releases' manifests; returns how many files were.

    Raises UserError for a release that this clone does not have, and for a file that differs.
    """
    compared = 0
    for version in online(listing):
        if not (releases / version / manifest.NAME).is_file():
            raise UserError(
                f"{target.words}: release {version} stands online and is not in this clone; nothing was changed",
                "get it first, as with: git pull",
            )
        for frozen in files(releases / version):
            if frozen.place in listing:
                compared += 1
                if listing[frozen.place] != target.digest(frozen.file):
                    raise UserError(
                        f"{target.words}: {frozen.place} online is not that of release {version} here; "
                        "nothing was changed",
                        "a release is never replaced: publish to another place, or find out which of "
                        f"the two was changed; for the one here: git status data/releases/{version}",
                    )
    return compared
