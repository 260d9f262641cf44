"""Deploy the site: build it, show what would change at the target, ask, and write it there."""

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from spindlemark.analysis.format import number
from spindlemark.cli import progress, workflow_call
from spindlemark.cli.terminal.untrusted_text import escaped
from spindlemark.core import paths
from spindlemark.core.errors import UserError
from spindlemark.release import publication
from spindlemark.release import versions as release
from spindlemark.site.deploy import archives, deployment
from spindlemark.site.deploy.branch_target import Branch
from spindlemark.site.deploy.folder_target import Folder
from spindlemark.site.deploy.target import Target
from spindlemark.site.deploy.zip_target import Archive

WORK = ".deploy-"
GITHUB = re.compile(r"(?:[^/]*[/@])*github\.com[:/]([A-Za-z0-9-]+)/([A-Za-z0-9._-]+?)(?:\.git)?/?$")


Place = tuple[Path | None, Path | None, str, str]


def deploy(console: Console, place: Place, unreleased: bool, with_archives: bool, yes: bool) -> None:
    """Deploy the site of all releases, with unreleased results if `unreleased` is set.

    `place`: a folder, an archive, or else a remote and its branch. `with_archives` adds each release in one file.
    Raises UserError if there is nothing to deploy, no address is recorded, or the target cannot hold the site.
    """
    newest = next(iter(release.versions()), None)
    if newest is None and not unreleased:
        raise UserError(
            "there is no release, and only releases are deployed", "freeze one: ./spindlemark release VERSION"
        )
    with _target(*place) as target:
        address = publication.site()
        if address is None:
            version = newest.version if newest else "VERSION"
            raise UserError(
                "the address of the deployed site is not recorded; its feed, its site map and its 404 page need it",
                f"record it with: ./spindlemark cite {version} --site {_likely(target)}",
            )
        if with_archives:
            archives.record(address)
        what = "everything" if unreleased else "released"
        workflow_call.publish(console, f"data/build/deployed/{what}/index.html")
        built = paths.BUILD / "deployed" / what
        with progress.activity(console, "packing the releases"):
            archives.add(built, address)
        with progress.activity(console, "comparing with the deployed site"):
            change = deployment.plan(built, target, paths.RELEASES, address)
        _show(console, change, target, address)
        if not (change.new or change.changed):
            console.print("The deployed site is up to date. Nothing was changed.")
            return
        _ask(yes)
        with progress.activity(console, "deploying"):
            compared = deployment.put(change, target, paths.RELEASES)
    console.print(
        f"Deployed. {compared:,} frozen files match the manifests of their releases.",
        soft_wrap=True,
    )


@contextmanager
def _target(folder: Path | None, archive: Path | None, remote: str, branch: str) -> Iterator[Target]:
    if folder and archive:
        raise UserError("--folder and --archive exclude each other", "use one of them")
    if folder:
        yield Folder(folder)
    elif archive:
        yield Archive(archive)
    else:
        paths.BUILD.mkdir(parents=True, exist_ok=True)
        for leftover in paths.BUILD.glob(f"{WORK}*"):  # from an interrupted call; this one holds the project's lock
            shutil.rmtree(leftover, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=WORK, dir=paths.BUILD) as work:
            yield Branch(paths.ROOT, remote, branch, Path(work))


def _likely(target: Target) -> str:
    """Return the GitHub Pages address of the target's repository, or an example."""
    found = GITHUB.match(target.address() or "") if isinstance(target, Branch) else None
    if found is None:
        return "https://ADDRESS/"
    owner, name = found[1].lower(), found[2]
    return f"https://{owner}.github.io/" + ("" if name.lower() == f"{owner}.github.io" else f"{name}/")


def _show(console: Console, change: deployment.Change, target: Target, address: str) -> None:
    table = Table(
        "part",
        "new files",
        "changed",
        "the same",
        title_justify="left",
        title=escaped(f"{target.name}, served at {address}"),
    )
    for name, *counts in change.rows():
        table.add_row(name, *(f"{count:,}" for count in counts))
    console.print(table)
    console.print(
        f"{number(change.bytes(), 'B')} to send. {change.compared:,} deployed frozen files match the releases here. "
        f"{change.kept:,} other files stay as they are; nothing is removed.",
        soft_wrap=True,
    )


def _ask(yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise UserError(
            "nothing was deployed: there is no terminal to confirm it on", "check the list above, then add --yes"
        )
    if not typer.confirm("Deploy it?", default=False):
        raise UserError("nothing was deployed: not confirmed", "run the command again when the list is right")
