"""What must hold before a repetition: rights, tools, a spec of this program, and the machine that the plan was made on."""

import os
from pathlib import Path

from spindlemark import config
from spindlemark.core import migrations
from spindlemark.core.errors import UserError
from spindlemark.core.process.tools import find
from spindlemark.core.record import Spec, canonical
from spindlemark.families import registry as families
from spindlemark.measure import experiments
from spindlemark.testbeds import kind


def require_root() -> None:
    """Raise UserError for any other user: the measuring programs create devices and mount filesystems."""
    if os.geteuid() != 0:
        raise UserError("measuring needs root, to make devices and filesystems", "run it with sudo")


def require_able(declared: config.Testbed) -> None:
    """Raise UserError without root, or for a tool of the testbed that is not installed."""
    require_root()
    for tool, package in kind.of(declared).tools.items():
        if find(tool) is None:
            raise UserError(f"{tool} is not installed", f"install the package {package}")


def require_sound(spec: Spec, spec_path: Path, number: int) -> None:
    """Raise UserError for a repetition that does not exist, or a spec that was planned for another method."""
    if number < 1:
        raise UserError(f"repetition {number}: does not exist", "count repetitions from 1")
    if spec.experiment.method != families.method(spec.experiment.family):
        raise UserError(
            f"{spec_path}: was planned for method {spec.experiment.method} of {spec.experiment.family}, "
            f"the program has {families.method(spec.experiment.family)}",
            "plan again: ./spindlemark run",
        )


def require_same_machine(spec: Spec, registry: config.Registry) -> None:
    """Raise UserError if the plan was made on another machine, or before an update: the identity would be wrong."""
    e, planned = spec.experiment, spec.experiment.fingerprint
    present = experiments.fingerprint(e.family, e.testbed, e.factors, planned["device"]["bytes"], registry)
    if migrations.has_no_host(planned):
        present = migrations.without_host(present)
    differing = [
        key
        for key in sorted(planned.keys() | present.keys())
        if canonical(planned.get(key)) != canonical(present.get(key))
    ]
    if differing:
        raise UserError(
            f"{spec.experiment.experiment}: was planned for another machine or before an update: "
            f"{', '.join(differing)} differ",
            "run it again: ./spindlemark run makes a new plan",
        )
