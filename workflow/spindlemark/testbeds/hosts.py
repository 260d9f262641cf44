"""Testbeds of other hosts. A host plans and measures on its own; the main project asks it and publishes. See docs/cluster.md."""

from spindlemark.config import Registry, Testbed
from spindlemark.core.errors import UserError
from spindlemark.core.limits import Name
from spindlemark.core.paths import BUILD
from spindlemark.core.record import Closed, read_model

NOTE = BUILD / "copy.json"
PLANS = BUILD / "hosts"
HOW = ".venv/bin/snakemake --workflow-profile workflow/profiles/ssh hosts"  # or profiles/slurm


class Copy(Closed):
    """A host's copy of the main project: its `data/build/copy.json`. The main project has no such file."""

    host: Name
    commit: str | None
    changed: bool | None


def copy() -> Copy | None:
    """Describe this copy; None in the main project."""
    return read_model(Copy, NOTE, "remove it, if this project is not a host's copy") if NOTE.exists() else None


def is_here(testbed: Testbed) -> bool:
    """Whether a testbed is on this machine."""
    own = copy()
    return testbed.host is None or (own is not None and testbed.host.name == own.host)


def others(registry: Registry, testbed: str | None = None) -> dict[str, list[str]]:
    """The other hosts, each with its testbeds; with `testbed`, only the host of that one."""
    found: dict[str, list[str]] = {}
    for name, declared in sorted(registry.testbeds.items()):
        if declared.host and not is_here(declared) and testbed in (None, name):
            found.setdefault(declared.host.name, []).append(name)
    return found


def require_here(name: str, testbed: Testbed) -> None:
    """Raise UserError for a testbed of another host."""
    if testbed.host and not is_here(testbed):
        raise UserError(
            f"testbed {name} is on host {testbed.host.name}",
            f"measure there with: {HOW} --config measure=false testbed={name} (see docs/cluster.md)",
        )
