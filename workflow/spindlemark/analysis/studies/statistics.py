"""Statistics: the findings' code on what the studies publish, each study for itself.

`python -m spindlemark.analysis.studies.statistics DATABASE --stability 0.2 --output FILE`.
"""

from pathlib import Path

from spindlemark.analysis.findings import command_line, groups
from spindlemark.analysis.findings.model import Group
from spindlemark.analysis.findings.settings import Recommendations
from spindlemark.analysis.studies import summary_model
from spindlemark.analysis.studies.load import folders
from spindlemark.analysis.studies.published_cells import read as read_source
from spindlemark.analysis.studies.published_model import Compared, Published
from spindlemark.analysis.studies.rederive import rederive
from spindlemark.core.errors import command
from spindlemark.core.paths import REFERENCE


def compute(database: Path, declared: Recommendations, relative_width: float, root: Path = REFERENCE) -> Published:
    """Tables of every study below `root`, and its summary tables where it has some.

    Raises UserError for a database without the studies and for damaged studies.
    """
    studies, rederived = [], []
    for folder in folders(root):
        source = read_source(folder)
        found = groups.compare(database, declared, relative_width, source.id)
        studies.append(
            Compared(
                source=source.id,
                title=source.title,
                date=source.date,
                groups=[g for g in map(_comparable, found) if g.metrics],
            )
        )
        summary = summary_model.read(folder)
        if summary:
            rederived += rederive(database, folder, summary, declared, relative_width)
    return Published(studies=studies, rederived=rederived)


def _comparable(group: Group) -> Group:
    """The group with only the metrics that compare two configurations or more."""
    metrics = [t for t in group.metrics if t.better != "none" and len(t.cells) > 1]
    named = {cell.configuration for table in metrics for cell in table.cells} | {
        entry.configuration for entry in group.absent
    }
    return group.model_copy(
        update={"metrics": metrics, "configurations": [s for s in group.configurations if s in named]}
    )


if __name__ == "__main__":
    command(lambda: command_line.main("spindlemark.analysis.studies.statistics", __doc__, compute))
