"""Replicates: what each of the sessions behind a pooled answer says by itself."""

from collections.abc import Sequence

import numpy as np

from spindlemark.analysis.findings.blocks import WEIGHTED
from spindlemark.analysis.findings.cells import Session
from spindlemark.analysis.findings.evidence import Evidence
from spindlemark.analysis.findings.model import Replicate

DECIMALS = 4


def of(evidence: Evidence, names: Sequence[str]) -> list[Replicate]:
    """Each session with the ratios of the named candidates to its best one, over the weighted tasks, in their order.

    A candidate without a round in a session is not in it; a session with fewer than two is left out.
    """
    known = {session.name: session for session in evidence.group.sessions}
    rows = {evidence.group.configurations[place].name: row for row, place in enumerate(evidence.able)}
    found = []
    for matrix in evidence.matrices[WEIGHTED].by_session():
        session = known.get(matrix.names[0]) or Session(matrix.names[0])
        means = {each: float(matrix.means[rows[each]]) for each in names if matrix.counts[rows[each]]}
        if len(means) > 1:
            best = min(means.values())
            found.append(
                Replicate(
                    session=session.name,
                    machine=session.machine,
                    kernel=session.kernel,
                    rounds=int(matrix.counts[[rows[each] for each in means]].min()),
                    ratios={each: round(float(np.exp(mean - best)), DECIMALS) for each, mean in means.items()},
                )
            )
    return found
