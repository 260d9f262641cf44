"""Outcomes: the state of the file after each crash point, and the share of each outcome, as metrics.

The probability of a crash at a point depends on the time spent there, which is not measured, so shares of points are not
probabilities. Kills and power cuts have the same metrics.
"""

from collections.abc import Sequence

from spindlemark.core.metric import Metric
from spindlemark.families.hdf5_edit.crash import kill, power_cut
from spindlemark.families.hdf5_edit.crash.recovery_states import OUTCOMES, Found, Outcome
from spindlemark.harness.repetition import Repetition


def _share_metrics(prefix: str, after: str, points: str) -> dict[str, Metric]:
    """The metrics of one kind of crash; `after`: the end of titles, `points`: the crash points that shares refer to."""
    share = f"of the points at which {points}, the share after which "
    return {
        f"{prefix}_saved_ratio": Metric(
            title=f"Saved{after}",
            unit="1",
            kind="ratio",
            better="higher",
            description=f"{share}the promised state is there, if only in a copy next to it",
        ),
        f"{prefix}_unattended_ratio": Metric(
            title=f"Intact without repair{after}",
            unit="1",
            kind="ratio",
            better="higher",
            description=f"{share}the file without any repair is in the promised state",
        ),
        f"{prefix}_mended_ratio": Metric(
            title=f"Repaired by a tool{after}",
            unit="1",
            kind="ratio",
            better="none",
            description=(f"{share}h5clear, or the tool that unlocks a history, restores the promised state"),
        ),
        f"{prefix}_by_hand_ratio": Metric(
            title=f"Repaired by a person{after}",
            unit="1",
            kind="ratio",
            better="lower",
            description=(f"{share}a person has to replace the file by the copy"),
        ),
        f"{prefix}_lost_ratio": Metric(
            title=f"Lost{after}",
            unit="1",
            kind="ratio",
            better="lower",
            description=f"{share}the promised state is lost",
        ),
    }


METRICS = {
    "kill_points_count": Metric(
        title="Points",
        unit="1",
        kind="count",
        better="none",
        description=("write-like system calls on the file and next to it, at each of which the edit was killed"),
    ),
    **_share_metrics("kill", "", "the edit was killed"),
    "kill_rule_lost_ratio": Metric(
        title="Lost by the rule",
        unit="1",
        kind="ratio",
        better="lower",
        description=(
            "of the points at which the edit was killed, the share after which the promised state is lost if a person always "
            "uses the copy without checking it"
        ),
    ),
    "power_points_count": Metric(
        title="Points of a power cut",
        unit="1",
        kind="count",
        better="none",
        description=("writes to the disk, after each of which power was cut in a replay: all, or a sample"),
    ),
    **_share_metrics("power", " after a power cut", "power was cut"),
    "power_unmountable_ratio": Metric(
        title="Not mountable after a power cut",
        unit="1",
        kind="ratio",
        better="lower",
        description=(
            "of the points at which power was cut, the share after which the filesystem could not be mounted before it was checked, "
            "or at all"
        ),
    ),
    "power_reordered_points_count": Metric(
        title="Points with partial writes",
        unit="1",
        kind="count",
        better="none",
        description=("a sample of the states with all writes before a flush and a part of those after it"),
    ),
    "power_reordered_saved_ratio": Metric(
        title="Saved after partial writes",
        unit="1",
        kind="ratio",
        better="higher",
        description=(
            "of these points, the share after which the promised state is there, if only in a copy next to it; 1 where a disk can leave no "
            "such state"
        ),
    ),
    "power_reordered_lost_ratio": Metric(
        title="Lost after partial writes",
        unit="1",
        kind="ratio",
        better="lower",
        description=("of these points, the share after which the promised state is lost; 0 where there are none"),
    ),
}


def of_kills(repetition: Repetition, crashes: Sequence[kill.Crash]) -> None:
    """Measure the outcomes after kills, and keep each point."""
    _measure(repetition, "kill", [crash.found for crash in crashes])
    repetition.measure("kill_rule_lost_ratio", sum(crash.found.rule_loses for crash in crashes) / len(crashes))
    repetition.attachments["kills"] = [
        {
            "call": c.point.call,
            "number": c.point.number,
            "acknowledged": c.acknowledged,
            "state": c.found.state,
            "fate": c.found.outcome,
            "rule_loses": c.found.rule_loses,
        }
        for c in crashes
    ]


def of_cuts(repetition: Repetition, in_order: Sequence[power_cut.Cut], reordered: Sequence[power_cut.Cut]) -> None:
    """Measure the outcomes after power cuts, and keep each point."""
    _measure(repetition, "power", [cut.found for cut in in_order])
    unmountable = sum(cut.checked or cut.found is power_cut.LOST for cut in in_order)
    repetition.measure("power_unmountable_ratio", unmountable / len(in_order))
    repetition.measure("power_reordered_points_count", len(reordered))
    lost = _shares([cut.found for cut in reordered])["lost"] if reordered else 0.0
    repetition.measure("power_reordered_saved_ratio", 1 - lost)
    repetition.measure("power_reordered_lost_ratio", lost)
    repetition.attachments["cuts"] = [
        {
            "upto": cut.point.upto,
            "also": cut.point.also,
            "state": cut.found.state,
            "fate": cut.found.outcome,
            "checked": cut.checked,
        }
        for cut in (*in_order, *reordered)
    ]


def _measure(repetition: Repetition, prefix: str, found: Sequence[Found]) -> None:
    shares = _shares(found)
    repetition.measure(f"{prefix}_points_count", len(found))
    repetition.measure(f"{prefix}_saved_ratio", 1 - shares["lost"])
    repetition.measure(f"{prefix}_unattended_ratio", shares["kept"])
    for outcome in ("mended", "by_hand", "lost"):
        repetition.measure(f"{prefix}_{outcome}_ratio", shares[outcome])


def _shares(found: Sequence[Found]) -> dict[Outcome, float]:
    return {outcome: sum(one.outcome == outcome for one in found) / len(found) for outcome in OUTCOMES}
