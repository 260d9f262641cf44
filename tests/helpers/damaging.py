"""Damage to files of our own, and a plan that knows one experiment."""

import json

from spindlemark.config import Stability
from spindlemark.core import paths
from spindlemark.core.record import join_parts
from spindlemark.measure import plan

DEEP = "[" * 200_000 + "]" * 200_000


def planned(experiment, repetitions=2):
    spec = paths.spec_path(experiment.testbed, experiment.family, experiment.experiment, experiment.identity())
    return plan.Plan(
        profile="quick",
        seed=1,
        stability=Stability(relative_width=0.1, most_repetitions=5),
        experiments=[
            plan.Planned(
                experiment=experiment.experiment,
                workload=join_parts(experiment.workload),
                family=experiment.family,
                testbed=experiment.testbed,
                kind="loop",
                identity=experiment.identity(),
                spec=str(spec),
                repetitions=repetitions,
                records=[str(paths.record_path(spec, n)) for n in range(1, repetitions + 1)],
            )
        ],
    )


def replaced(path, put):
    path.unlink()
    put(path)


def changed(path, **changes):
    content = json.loads(path.read_text()) | changes
    path.write_text(json.dumps(content))
    return content
