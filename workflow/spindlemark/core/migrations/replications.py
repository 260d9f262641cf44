"""joined.json of format 1: the findings of each contribution, and the terms of replication."""

import json

from spindlemark.core.migrations.upgrades import Content, rename, step, to_newest


@step("joined", 1)
def _newest_findings(content: Content) -> Content:
    """Releases 2026.11.5 and 2026.11.6: the findings of each contribution have format 2."""
    for machine in content["machines"]:
        for contribution in machine["bundles"]:
            newest = to_newest("findings", json.dumps(contribution["findings"]).encode())
            if newest is not None:
                contribution["findings"] = json.loads(newest)
    return content


@step("joined", 1)
def _terms_of_replication(content: Content) -> Content:
    """Releases 2026.11.5 and 2026.11.6: the keys were `bundles`, `told`, `elsewhere` and `subject`."""
    rename(content, {"elsewhere": "replications"})
    for machine in content["machines"]:
        rename(machine, {"bundles": "contributions", "told": "answers"})
        for cell in (cell for answer in machine["answers"] for task in answer["tasks"] for cell in task["cells"]):
            rename(cell, {"subject": "configuration"})
    for leader in (leader for replication in content["replications"] for leader in replication["held"]):
        rename(leader, {"subject": "configuration"})
    return content
