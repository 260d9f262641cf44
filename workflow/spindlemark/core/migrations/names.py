"""Names of experiments in records and plans: written together until 2026.11.6, as ext4+m0@bfq--picture."""

from typing import Any

from spindlemark.core.migrations.upgrades import Content, step


@step("record", 1)
@step("spec", 1)
def _parts_of_names(old: Content) -> Content:
    """Releases 2026.11 to 2026.11.6: configuration and workload were in the name only."""
    experiment = old["experiment"]
    return old | {"experiment": name_fields(experiment["experiment"]) | experiment}


@step("plan", 2)
def _planned_workloads(old: Content) -> Content:
    """The program of releases 2026.11 to 2026.11.6: the same in plans."""
    planned = [{"workload": each["experiment"].partition("--")[2]} | each for each in old["experiments"]]
    return old | {"experiments": planned}


@step("plan", 3)
def _planned_controls(old: Content) -> Content:
    """The program after release 2026.11.6, until controls were named: they were `beside` an experiment."""
    planned = [
        {"controls" if key == "beside" else key: value for key, value in each.items()} for each in old["experiments"]
    ]
    return old | {"experiments": planned}


def name_fields(name: str) -> dict[str, Any]:
    """`configuration` and `workload` of a name that was written together."""
    configuration, *workload = (_part(part) for part in name.split("--"))
    return {"configuration": configuration, "workload": workload}


def _part(name: str) -> dict[str, str]:
    plain, _, under = name.partition("@")
    value, _, setting = plain.partition("+")
    return {"value": value, "setting": setting, "under": under}
