"""Statistics: the findings' code on what the studies publish, each study for itself.

`python -m spindlemark.reference.statistics DATABASE --stability 0.2 --output FILE`.
"""

from pathlib import Path

from spindlemark.errors import command
from spindlemark.findings import computed, groups
from spindlemark.findings.report import Group
from spindlemark.findings.settings import Recommendations
from spindlemark.paths import REFERENCE
from spindlemark.reference import summary
from spindlemark.reference.cells import read as read_source
from spindlemark.reference.load import folders
from spindlemark.reference.published import Compared, Published
from spindlemark.reference.rederive import rederive


def compute(database: Path, declared: Recommendations, relative_width: float, root: Path = REFERENCE) -> Published:
    """Tables of every study below `root`, and its summary tables beside them where it has some.

    Raises UserError for a database without the studies and for damaged studies.
    """
    studies, rederived = [], []
    for folder in folders(root):
        source = read_source(folder)
        found = groups.compare(database, declared, relative_width, source.id)
        studies.append(Compared(source=source.id, title=source.title, date=source.date,
                                groups=[g for g in map(_comparable, found) if g.metrics]))
        asked = summary.read(folder)
        if asked:
            rederived += rederive(database, folder, asked, declared, relative_width)
    return Published(studies=studies, rederived=rederived)


def _comparable(group: Group) -> Group:
    """The group with the metrics alone that tell two subjects or more apart."""
    metrics = [t for t in group.metrics if t.better != "none" and len(t.cells) > 1]
    named = {cell.subject for table in metrics for cell in table.cells} | {entry.subject for entry in group.absent}
    return group.model_copy(update={"metrics": metrics, "subjects": [s for s in group.subjects if s in named]})


if __name__ == "__main__":
    command(lambda: computed.main("spindlemark.reference.statistics", __doc__, compute))
