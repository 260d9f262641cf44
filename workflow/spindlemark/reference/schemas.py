"""JSON Schemas of what this part reads and writes, for `workflow/schemas/`: `python -m spindlemark.reference.schemas`."""

import json
from pathlib import Path

from pydantic import TypeAdapter

from spindlemark.paths import SCHEMAS
from spindlemark.reference.audit import Audit
from spindlemark.reference.claims import Claims
from spindlemark.reference.model import Source

MODELS = {"reference-source": Source, "reference-claims": Claims, "reference-audit": Audit}


def texts() -> dict[str, str]:
    """File name -> schema text, for every model."""
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {f"{name}.schema.json": json.dumps(draft | TypeAdapter(model).json_schema(), indent=1) + "\n"
            for name, model in MODELS.items()}


def write(folder: Path = SCHEMAS) -> None:
    """Write all schemas below `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in texts().items():
        (folder / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    write()
