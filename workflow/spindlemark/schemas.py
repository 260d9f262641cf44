"""JSON Schemas of everything that is read or written, generated from the typed models: `python -m spindlemark.schemas`."""

import json
from pathlib import Path

from pydantic import TypeAdapter

from spindlemark import declare
from spindlemark.findings.report import Findings
from spindlemark.findings.settings import Recommendations
from spindlemark.joining.bundle import About
from spindlemark.joining.report import Joined
from spindlemark.limits import Name
from spindlemark.paths import SCHEMAS
from spindlemark.plan import Plan
from spindlemark.record import Record, Spec
from spindlemark.reference.claims import Claims
from spindlemark.reference.model import Source
from spindlemark.reference.published import Published
from spindlemark.reference.report import Audit
from spindlemark.reference.summary import Summary
from spindlemark.testbeds.vm.pins import Pins

MODELS = {
    "config": declare.Config,
    "profile": declare.Profile,
    "testbed": declare.Testbed,
    "experiments": declare.Experiments,
    "questions": declare.Questions,
    "filesystems": dict[Name, declare.Filesystem],
    "libraries": dict[Name, declare.Library],
    "devices": dict[Name, declare.DeviceModel],
    "servers": dict[Name, declare.Server],
    "kernels": Pins,
    "recommendations": Recommendations,
    "plan": Plan,
    "spec": Spec,
    "record": Record,
    "findings": Findings,
    "bundle": About,
    "joined": Joined,
    "reference-source": Source,
    "reference-claims": Claims,
    "reference-summary": Summary,
    "reference-audit": Audit,
    "reference-published": Published,
}


def texts() -> dict[str, str]:
    """File name -> schema text, for every model."""
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {f"{name}.schema.json": json.dumps(draft | TypeAdapter(model).json_schema(), indent=1) + "\n"
            for name, model in MODELS.items()}


def write(folder: Path = SCHEMAS) -> None:
    """Write all schemas below `folder`."""
    for name, text in texts().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
