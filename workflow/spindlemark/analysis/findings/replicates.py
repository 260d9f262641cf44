"""Replicates: what each of the sessions behind a pooled answer says by itself."""

from collections.abc import Sequence

import numpy as np

from spindlemark.analysis.findings.evidence import WEIGHTED, Evidence
from spindlemark.analysis.findings.model import Replicate

DECIMALS = 4


def of(evidence: Evidence, names: Sequence[str]) -> list[Replicate]:
    """Each session with the ratios of the named candidates to its best one, over the weighted tasks, in their order.

    A candidate without a round in a session is not in it; a session with fewer than two is left out.
    """
    known = {session.name: session for session in evidence.group.sessions}
    rows = {evidence.group.configurations[place].name: row for row, place in enumerate(evidence.able)}
    found = []
    for name, matrix in evidence.matrices[WEIGHTED].by_session().items():
        means = {each: float(matrix.means[rows[each]]) for each in names if matrix.counts[rows[each]]}
        if len(means) > 1:
            best = min(means.values())
            found.append(
                Replicate(
                    session=name,
                    machine=known[name].machine if name in known else "",
                    kernel=known[name].kernel if name in known else "",
                    rounds=int(matrix.counts[[rows[each] for each in means]].min()),
                    ratios={each: round(float(np.exp(mean - best)), DECIMALS) for each, mean in means.items()},
                )
            )
    return found
