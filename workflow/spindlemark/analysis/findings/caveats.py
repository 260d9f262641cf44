"""Caveats: sentences on why a group has no recommendation, what is left out of it, and what its figures cannot show."""

from collections.abc import Mapping, Sequence

from spindlemark import config
from spindlemark.analysis.findings import text
from spindlemark.analysis.findings.blocks import LEAST_COUNT
from spindlemark.analysis.findings.intervals import RANGE_BELOW, coverage_of_range
from spindlemark.analysis.findings.model import Cell
from spindlemark.analysis.format import digits
from spindlemark.core.declared import Caveat
from spindlemark.core.formula import Facts, evaluate
from spindlemark.core.record import Scalar

NOTHING_RANKED = "No recommendation: none of the weighted tasks can be ranked here."
ALL_SHORT = "No recommendation: no candidate meets the requirements."
NOTHING_SHARED = "No recommendation: no two configurations were measured in the same rounds."
EMULATED = (
    "Measured in an emulated machine, whose processor is many times slower than a real one: compare configurations "
    "within this group, and ignore absolute times."
)
ALL_HELD = "All of them held at the largest number that was tried: only a search that goes further can separate them."
MODELLED_DISK = (
    "The disk is a model of a hard disk, with the figures of its manual: it is not a real disk. Prefer results of a real "
    "disk where there are any."
)


def of_disk(conditions: Mapping[str, Scalar]) -> list[str]:
    """Return the note on a modelled disk, as the testbed or as the storage of a network; an empty list for any other."""
    modelled = conditions.get("device.kind") == "disk_model" or "device.model.version" in conditions
    return [MODELLED_DISK] if modelled else []


def of_testbed(kind: str) -> list[str]:
    """Return what a kind of testbed cannot show; an empty list for most kinds."""
    return [note for note in [config.caveat(kind)] if note]


def of_family(declared: Sequence[Caveat], conditions: Mapping[str, Scalar]) -> list[str]:
    """Return the family's caveats that hold under these conditions."""
    return [sentence for caveat in declared if (sentence := _sentence(caveat, Facts(conditions, {})))]


def _sentence(caveat: Caveat, facts: Facts) -> str | None:
    """Return the caveat with its values; None where one is unknown or 0, or not below its bound."""
    try:
        values = {name: evaluate(formula, facts) or 0 for name, formula in caveat.values.items()}
    except KeyError:
        return None
    holds = all(values.values()) and all(values[name] < bound for name, bound in caveat.below.items())
    return caveat.text.format(**values) if holds else None


def of_short_times(cells: Sequence[Cell], shortest: float | None) -> str:
    """A note on a table in which times count as longer than they are; empty for any other."""
    if not shortest:
        return ""
    short = sum(cell.short for cell in cells)
    which = "All" if short == len(cells) else f"{short} of {len(cells)}"
    return (
        f"{which} {'has' if short == 1 < len(cells) else 'have'} times below {text.declared(shortest)}, which count as "
        "that long: such short times are not distinguished, and a ratio to one is a lower bound."
    )


def of_nothing(cells: Sequence[Cell], least: float) -> str:
    """A note on a table in which some have nothing at all, which counts as `least`; empty where none has nothing."""
    none = [cell.configuration for cell in cells if cell.median == 0]
    part = "half of one" if least == LEAST_COUNT else text.percent(least)
    return (
        f"{text.some(none)} {'has' if len(none) == 1 else 'have'} none, which counts as {part} when tasks are weighed."
        if none
        else ""
    )


def of_samples(shortest: int, noisy: int, repetitions: int, unstable: int, cells: int, width: float) -> list[str]:
    """Notes on what limits a group: few samples, disturbed repetitions, wide intervals of the weighted tasks."""
    notes = []
    if 3 <= shortest < RANGE_BELOW:
        notes.append(
            f"With {shortest} samples, the interval of a median is their range, which contains the true median in "
            f"{text.percent(coverage_of_range(shortest))} of cases."
        )
    elif shortest < 3:
        notes.append(
            f"{text.counted(shortest, 'sample').capitalize()} per configuration cannot show how uncertain a median is: "
            "at least 3 are needed."
        )
    if noisy:
        notes.append(
            f"In {noisy} of {text.counted(repetitions, 'repetition')} other programs used the machine during a timed step. "
            "These samples are marked as noisy, and kept."
        )
    if unstable:
        notes.append(
            f"For {unstable} of {text.counted(cells, 'median')} of the weighted tasks, the interval is wider than "
            f"{text.percent(width)} of the median."
        )
    return notes


def of_limits(at_least: Sequence[str], processor: Sequence[str], neither: Sequence[str], title: str) -> list[str]:
    """Notes on searches for a largest number that ended for another reason than the disk."""
    notes = []
    if at_least:
        notes.append(
            f"{title}: the largest number that was tried still held with {text.some(at_least)}, so "
            f"{'this number is a lower bound' if len(at_least) == 1 else 'these numbers are lower bounds'}."
        )
    if processor:
        notes.append(f"{title}: the processor, not the disk, limited {text.some(processor)}.")
    if neither:
        notes.append(
            f"{title}: when the search ended with {text.some(neither)}, neither disk nor processors were fully used on average: "
            "a buffer ran empty during a peak too short for the average to show."
        )
    return notes


def of_no_weights(family: str, workload: str) -> str:
    """Why a group has no recommendation: no weights are declared for it."""
    what = f"the library {workload}" if workload else f"the family {family}"
    return f"No recommendation: config/questions/ declares no weights for {what}."


def of_no_choice(able: int, fewest: int) -> str:
    """Why a group has no recommendation: too few configurations, or too few repetitions of them."""
    have = "1 has" if able == 1 else f"{able} have"
    return f"No recommendation yet: 2 configurations with {fewest} repetitions each are needed, and {have} them."


def of_legacy(configuration: str, why: str) -> str:
    """Why a filesystem is shown and not recommended."""
    return f"{configuration} is a legacy filesystem, shown for comparison and not recommended: {why}."


def of_no_candidates(among: Mapping[str, str | list[str]]) -> str:
    """Why a group has no recommendation: its question chooses `among` others."""
    where = [
        f"{name.replace('_', ' ').replace('.', ' ')} is {text.either([value] if isinstance(value, str) else value)}"
        for name, value in among.items()
    ]
    return (
        f"No recommendation here: the question chooses where {text.listed(where)}. These measurements are shown for "
        "comparison."
    )


def of_lone(configuration: str, figures: Mapping[str, str]) -> str:
    """Why a group of one has no recommendation, and its `figures`: title of a task -> median."""
    medians = f" Medians: {text.listed([f'{title} {figure}' for title, figure in figures.items()])}." if figures else ""
    return f"{configuration} is the only configuration measured here, so there is nothing to compare.{medians}"


def of_uncounted(titles: Sequence[str], why: str) -> str:
    """Weighted tasks without a rank, for one reason."""
    return f"{text.listed(titles)} {'is' if len(titles) == 1 else 'are'} not counted: {why}."


def of_left_out_failed(configuration: str, failed: int, total: int) -> str:
    """A configuration that failed is not recommended."""
    return f"{configuration} is left out of the recommendation: it failed in {failed} of {text.counted(total, 'repetition')}."


def of_short(configuration: str, task: str, worst: float) -> str:
    """A configuration that had less of a task than every choice needs."""
    return f"{configuration} is not recommended, whatever its other results: {task} is {digits(worst)} in its worst repetition."


def of_left_out_absent(configuration: str, status: str) -> str:
    """A configuration without any sample."""
    return f"{configuration} is left out of the recommendation: it is {status} here."


def of_left_out_lacking(configuration: str, title: str) -> str:
    """A configuration that has no tool for one of the tasks."""
    return f"{configuration} is left out of the recommendation: it has no samples of {title}."


def of_left_out_few(configuration: str, n: int, fewest: int) -> str:
    """A configuration with too few samples."""
    return f"{configuration} is left out of the recommendation: it has {text.counted(n, 'sample')}, and a recommendation needs {fewest}."
