"""Metrics: what the published numbers mean, in the shape in which families describe their own."""

from pathlib import Path

from spindlemark.analysis.studies.load import folders
from spindlemark.analysis.studies.published_cells import read
from spindlemark.analysis.studies.source_model import Measure
from spindlemark.analysis.studies.units import UNITS
from spindlemark.core.metric import Kind, Metric, kind_of_unit
from spindlemark.core.paths import REFERENCE


def metrics(root: Path = REFERENCE) -> dict[str, dict[str, Metric]]:
    """Family -> metric -> title, unit and direction of everything that the studies below `root` publish as samples.

    The description names the printed tables that hold it.
    """
    found: dict[str, dict[str, Metric]] = {}
    for folder in folders(root):
        source = read(folder)
        for name, table in source.tables.items():
            for measure in table.measures:
                if table.family and measure.kind == "sample":
                    known = found.setdefault(table.family, {})
                    place = f"{source.id}, {table.number or name}"
                    before = f"{known[measure.metric].description}; " if measure.metric in known else ""
                    known[measure.metric] = Metric(
                        title=measure.title,
                        unit=UNITS[measure.unit][0],
                        kind=_kind(measure),
                        better=measure.better,
                        description=before + place,
                    )
    return found


def _kind(measure: Measure) -> Kind:
    """What a printed number is: of those without a unit per cents are ratios, and all others count where no share is declared."""
    return kind_of_unit(UNITS[measure.unit][0]) or ("ratio" if measure.unit == "%" or measure.share else "count")
