"""State of the program that freezes a release: its commit and the rules of its workflow."""

from pathlib import Path

from spindlemark.core import project
from spindlemark.core.errors import UserError
from spindlemark.release import zip_archive
from spindlemark.release.manifest import Code

DATA = ("data/releases/", "data/publications/", "data/joined/")  # tracked, but not part of the program
WORKFLOW = "workflow.zip"
SHOWN = 3


def read(root: Path) -> Code | None:
    """Return the commit of the program in `root`; None if it is not a repository.

    Raises UserError if a tracked file differs from the commit: readers could not obtain this program.
    """
    found = project.head(root)
    if found is None:
        return None
    if changed := project.changed(root, DATA):
        more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
        raise UserError(
            f"{root}: {', '.join(changed[:SHOWN])}{more} differ from the newest commit, which the release would name",
            "commit these files, then freeze the release again",
        )
    return Code(commit=found[0], tree=found[1])


def pack_workflow(root: Path, target: Path) -> None:
    """Write the Snakefile and its rules to the zip archive `target`, which a crate contains as its workflow."""
    names = [name for name in project.tracked(root) if name == "Snakefile" or is_rule(name)]
    if names:
        zip_archive.pack(target, {name: root / name for name in names})


def is_rule(name: str) -> bool:
    """Whether a path of the repository is a file of rules."""
    return name.startswith("rules/") and name.endswith(".smk")
