"""Generated files: JSON Schemas of the files that the project reads and writes, and the families' declarations.

Write them with `python -m spindlemark.cli.schemas`.
"""

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from spindlemark import config
from spindlemark.analysis.errata import Errata
from spindlemark.analysis.findings.model import Findings
from spindlemark.analysis.findings.settings import Recommendations
from spindlemark.analysis.studies.audit_model import Audit
from spindlemark.analysis.studies.claim_model import Claims
from spindlemark.analysis.studies.published_model import Published
from spindlemark.analysis.studies.source_model import Source
from spindlemark.analysis.studies.summary_model import Summary
from spindlemark.config.formats import Formats
from spindlemark.core import declared
from spindlemark.core.limits import Name, Text
from spindlemark.core.paths import SCHEMAS
from spindlemark.core.record import Record, Spec
from spindlemark.families import registry as families
from spindlemark.families.shared.streams.stream_rate import Rate
from spindlemark.measure.plan import Plan
from spindlemark.release.contributions.archive import Manifest
from spindlemark.release.contributions.replication_model import Replications
from spindlemark.site.models import kinds
from spindlemark.testbeds.vm.pins import Pins

MODELS: dict[str, Any] = {
    "config": config.Config,
    "profile": config.Profile,
    "testbed": config.Testbed,
    "errata": Errata,
    "experiments": config.Experiments,
    "questions": config.Questions,
    "filesystems": dict[Name, config.Filesystem],
    "libraries": dict[Name, config.Library],
    "devices": dict[Name, config.DeviceModel],
    "rates": dict[Name, Rate],
    "formats": Formats,
    "glossary": dict[str, Text],
    "looks": dict[str, config.Look],
    "servers": dict[Name, config.Server],
    "kernels": Pins,
    "recommendations": Recommendations,
    "plan": Plan,
    "spec": Spec,
    "record": Record,
    "findings": Findings,
    "bundle": Manifest,
    "joined": Replications,
    "reference-source": Source,
    "reference-claims": Claims,
    "reference-summary": Summary,
    "reference-audit": Audit,
    "reference-published": Published,
    **{f"page-{kind}": model for kind, model in kinds.KINDS.items()},
}


def texts() -> dict[str, str]:
    """File name -> schema text, for every model."""
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {
        f"{name}.schema.json": json.dumps(draft | TypeAdapter(model).json_schema(), indent=1) + "\n"
        for name, model in MODELS.items()
    }


def declarations() -> str:
    """The families' declarations, as the text of core.declared.FILE."""
    found = {name: families.declared(name) for name in families.names()}
    return json.dumps(declared.FAMILIES.dump_python(found, mode="json"), indent=1, ensure_ascii=False) + "\n"


def write(folder: Path = SCHEMAS) -> None:
    """Write all schemas to `folder`, and the declarations."""
    for name, text in texts().items():
        (folder / name).write_text(text, encoding="utf-8")
    declared.FILE.write_text(declarations(), encoding="utf-8")


if __name__ == "__main__":
    write()
