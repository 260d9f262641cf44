"""Each family of experiments: its description, the text of `docs/methods/<family>.md`, and its metrics."""

from pathlib import Path
from typing import Any

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.model import Findings
from spindlemark.config import read_yaml
from spindlemark.core import declared, paths
from spindlemark.core.limits import Text
from spindlemark.core.record import Closed
from spindlemark.site import address, evidence
from spindlemark.site.sources import Sources

Page = dict[str, Any]
METHODS = paths.PROJECT / "docs" / "methods"
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
    return [_family(name, sources) for name in question_list.order(g.family for g in findings.groups)]


def _family(name: str, sources: Sources) -> Page:
    fragment = f"f-{address.slug(name).replace('_', '-')}"
    known = declared.metrics(name)
    return {
        "family": name,
        "title": question_list.title(name),
        "anchor": fragment,
        "path": address.family(name),
        "description": sources.description(name),
        "text": text(METHODS / f"{name}.md", fragment),
        "metrics": [
            {
                "anchor": f"{fragment}-{evidence.fragment(metric)}",
                "metric": metric,
                "title": m.title,
                "unit": "" if m.unit == "1" else m.unit,
                "better": BETTER[m.better],
                "description": m.description,
            }
            for metric, m in known.items()
        ],
    }


def glossary() -> list[Page]:
    """The terms of `config/glossary.yaml`."""
    known = read_yaml(paths.CONFIG / "glossary.yaml", dict[str, Text])
    return [
        {"anchor": f"t-{evidence.fragment(term)}", "title": term.capitalize(), "text": meaning}
        for term, meaning in known.items()
    ]


def text(path: Path, fragment: str) -> str:
    """Markdown of a family's method below its own heading: sections are one level lower, and their ids begin with `fragment`.

    Empty for a family without such a file, such as one that only another machine measured.
    """
    if not path.exists():
        return ""
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    return "\n".join(
        _section(line.removeprefix("## "), fragment) if line.startswith("## ") else line for line in lines
    ).strip()


def _section(title: str, fragment: str) -> str:
    return f"### {title} {{#{fragment}-{address.slug(title).lower()}}}"


def truth(path: Path = TRUTH) -> list[Page]:
    """Rows of the benchmark of verdicts, by section; none if it has never run."""
    if not path.exists():
        return []
    found: dict[str, list[Page]] = {}
    for row in read_yaml(path, list[Row]):
        value = f"{row.value:.4g}" if isinstance(row.value, float) else str(row.value)
        found.setdefault(row.section, []).append({"label": row.label, "value": value, "text": row.text})
    return [{"section": section, "rows": rows} for section, rows in found.items()]
