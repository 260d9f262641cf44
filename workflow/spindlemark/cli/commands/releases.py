"""Commands for releases: `release freeze`, `release unpack`, `cite` and `crate`."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from spindlemark.cli.commands.shared import console, named


class ReleaseGroup(TyperGroup):
    """`release VERSION` means `release freeze VERSION`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the action in front where the first word is a version."""
        named = bool(args) and not args[0].startswith("-") and args[0] not in self.commands
        return super().parse_args(ctx, ["freeze", *args] if named else args)


def unpack(
    version: Annotated[str, typer.Argument(help="a release")],
    output: Annotated[Path, typer.Option(help="new folder to write", callback=named)],
) -> None:
    """Write a release as plain files: each record, tables also as CSV, findings as JSON."""
    from spindlemark.core import paths
    from spindlemark.release.unpack import unpack as write
    from spindlemark.release.version_name import order

    order(version)
    count = write(paths.RELEASES / version, output)
    console.print(f"{output}: {count} files", markup=False, soft_wrap=True)


def freeze(
    version: Annotated[str, typer.Argument(help="YYYY.MM, or YYYY.MM.N for further releases of a month")],
    everything: Annotated[
        bool,
        typer.Option(
            "--everything",
            help="freeze all of data/raw/, of all profiles, although repetitions that they declare are not measured yet",
        ),
    ] = False,
) -> None:
    """Freeze this machine's results in data/releases/VERSION and add that version to the site."""
    from spindlemark import config
    from spindlemark.cli import snakemake_process, workflow_call
    from spindlemark.core import paths
    from spindlemark.measure import plan as planning
    from spindlemark.release import versions as frozen

    with snakemake_process.only_one():
        frozen.check_new(version)
        if everything:
            planning.write_everything(config.load())
        else:
            planning.read()
        marker = paths.BUILD / "releases" / f"{version}.frozen"
        marker.unlink(missing_ok=True)
        workflow_call.publish(console, str(marker.relative_to(paths.ROOT)))
        workflow_call.publish(console)
    console.print(f"data/releases/{version} is frozen and on the site at /{version}/. To publish it, commit it.")


def cite(
    version: Annotated[str, typer.Argument(help="a release")],
    doi: Annotated[str | None, typer.Option(help="DOI of this version")] = None,
    concept_doi: Annotated[str | None, typer.Option(help="DOI of all versions, which resolves to the newest")] = None,
    site: Annotated[str | None, typer.Option(help="address of the deployed site with all versions")] = None,
    repository: Annotated[str | None, typer.Option(help="address of the source code")] = None,
    archive: Annotated[str | None, typer.Option(help="address of the whole version in one file")] = None,
) -> None:
    """Show how to cite a release. Options first add its DOI or address to its record of publication.

    The record is stored in data/publications/; the release itself does not change.
    """
    from spindlemark.cli.terminal import citing

    citing.cite(console, version, doi=doi, concept_doi=concept_doi, site=site, repository=repository, archive=archive)


def crate(
    version: Annotated[str, typer.Argument(help="a release")],
    output: Annotated[
        Path | None, typer.Option(help="file to write (default: in data/build/crates/)", callback=named)
    ] = None,
) -> None:
    """Pack a release as one RO-Crate file to deposit or share. The same release gives the same bytes."""
    from spindlemark.core import paths
    from spindlemark.release import publication
    from spindlemark.release.ro_crate import crate as crates

    target = output or paths.CRATES / publication.archive(version)
    crates.make(version, target)
    console.print(f"{target}: {target.stat().st_size / 1e6:.1f} MB", markup=False, soft_wrap=True)
