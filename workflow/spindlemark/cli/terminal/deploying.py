"""`publish`: build what goes online, show what would change there, ask, put it there."""

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
from spindlemark.cli import progress, run
from spindlemark.cli.terminal.untrusted_text import foreign
from spindlemark.core import paths
from spindlemark.core.errors import UserError
from spindlemark.release import publication
from spindlemark.release import versions as release
from spindlemark.site.deploy import deployment
from spindlemark.site.deploy.branch_target import Branch
from spindlemark.site.deploy.folder_target import Folder
from spindlemark.site.deploy.target import Target
from spindlemark.site.deploy.zip_target import Archive

WORK = ".publish-"
GITHUB = re.compile(r"(?:[^/]*[/@])*github\.com[:/]([A-Za-z0-9-]+)/([A-Za-z0-9._-]+?)(?:\.git)?/?$")


def publish(
    console: Console, folder: Path | None, archive: Path | None, remote: str, branch: str, unreleased: bool, yes: bool
) -> None:
    """Put the releases, and unreleased results only if told so, where they are served.

    Raises UserError when there is nothing to publish, no address, or the target is no place for it.
    """
    newest = next(iter(release.versions()), None)
    if newest is None and not unreleased:
        raise UserError(
            "there is no release, and only releases are published", "freeze one: ./spindlemark release VERSION"
        )
    with _target(folder, archive, remote, branch) as target:
        address = publication.site()
        if address is None:
            version = newest.version if newest else "VERSION"
            raise UserError(
                "nobody knows under which address the site will be served: its feed, its site map and its "
                "page for what is not there need it",
                f"tell it with: ./spindlemark cite {version} --site {_likely(target)}",
            )
        what = "everything" if unreleased else "released"
        run.publish(console, f"data/build/online/{what}/index.html")
        with progress.telling(console, "comparing with what stands online"):
            change = deployment.plan(paths.BUILD / "online" / what, target, paths.RELEASES, address)
        _show(console, change, target, address)
        if not (change.new or change.changed):
            console.print("All of it stands there already: nothing was changed.")
            return
        _ask(yes)
        with progress.telling(console, "publishing"):
            compared = deployment.put(change, target, paths.RELEASES)
    console.print(
        f"It stands there. {compared:,} frozen files were compared with the releases' manifests: all are as released.",
        soft_wrap=True,
    )


@contextmanager
def _target(folder: Path | None, archive: Path | None, remote: str, branch: str) -> Iterator[Target]:
    if folder and archive:
        raise UserError("--folder and --archive: only one place at a time", "leave one of them out")
    if folder:
        yield Folder(folder)
    elif archive:
        yield Archive(archive)
    else:
        paths.BUILD.mkdir(parents=True, exist_ok=True)
        for leftover in paths.BUILD.glob(f"{WORK}*"):  # of one that was killed: the project's lock is held
            shutil.rmtree(leftover, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=WORK, dir=paths.BUILD) as work:
            yield Branch(paths.ROOT, remote, branch, Path(work))


def _likely(target: Target) -> str:
    """Where GitHub serves the pages of the target's repository; else an example."""
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
        title=foreign(f"{target.words}, served at {address}"),
    )
    for name, *counts in change.rows():
        table.add_row(name, *(f"{count:,}" for count in counts))
    console.print(table)
    console.print(
        f"{number(change.bytes(), 'B')} would be sent. {change.compared:,} frozen files that stand there are those "
        f"of the releases here. {change.kept:,} other files stay as they are; nothing is taken away.",
        soft_wrap=True,
    )


def _ask(yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise UserError("nobody can be asked here; nothing was published", "look at the list above, then add: --yes")
    if not typer.confirm("Put it online?", default=False):
        raise UserError("not confirmed; nothing was published", "run the same again when it is right")
