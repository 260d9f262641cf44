"""What each family of experiments does: its description, its paragraphs of the change log, and its metrics."""

import re
from pathlib import Path
from typing import Any

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Findings
from spindlemark.config import read_yaml
from spindlemark.core import paths
from spindlemark.core.record import Closed
from spindlemark.families import registry as families
from spindlemark.site import address
from spindlemark.site.sources import Sources

Page = dict[str, Any]
TRUTH = paths.ROOT / "tests" / "bench" / "truth.json"
BETTER = {"lower": "lower is better", "higher": "higher is better", "none": "neither is better"}


class Row(Closed):
    """One line of the benchmark's table."""

    section: str
    label: str
    value: float | int | str
    text: str


def build(findings: Findings, sources: Sources) -> list[Page]:
    """One entry per family with results in this version, in the order of the questions."""
    log = (paths.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    return [_family(name, log, sources) for name in question_list.order(g.family for g in findings.groups)]


def _family(name: str, log: str, sources: Sources) -> Page:
    known = families.metrics(name) if name in families.names() else {}
    return {
        "family": name,
        "title": question_list.title(name),
        "anchor": f"f-{address.slug(name).replace('_', '-')}",
        "path": address.family(name),
        "description": sources.description(name),
        "text": paragraphs(log, name),
        "metrics": [
            {
                "metric": metric,
                "title": m.title,
                "unit": "" if m.unit == "1" else m.unit,
                "better": BETTER[m.better],
                "description": m.description,
            }
            for metric, m in known.items()
        ],
    }


def paragraphs(log: str, family: str) -> str:
    """Markdown of the family's newest method in the change log, without its table of metrics; "" without one."""
    found = re.search(rf"^### `{re.escape(family)}`.*?\n(.*?)(?=^##)", log, re.DOTALL | re.MULTILINE)
    return "\n".join(line for line in found[1].splitlines() if not line.startswith("|")).strip() if found else ""


def truth(path: Path = TRUTH) -> list[Page]:
    """The rows of the benchmark of the verdicts by section; none where it was never run."""
    if not path.exists():
        return []
    found: dict[str, list[Page]] = {}
    for row in read_yaml(path, list[Row]):
        value = f"{row.value:.4g}" if isinstance(row.value, float) else str(row.value)
        found.setdefault(row.section, []).append({"label": row.label, "value": value, "text": row.text})
    return [{"section": section, "rows": rows} for section, rows in found.items()]
