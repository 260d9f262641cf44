"""Words: every sentence about results, made from numbers and from nothing else. Digits are those of `analysis.format`."""

from collections.abc import Sequence

from spindlemark.analysis.format import number
from spindlemark.core.metric import Kind
from spindlemark.core.record import Better

RATES = ("B/s", "1/s")


def quantity(value: float, unit: str) -> str:
    """A value with its unit in a readable size: 48 ms, 2.04 s, 1.07 GB, 310 MB/s, 5,310 per second, 38.3 dB, or lossless."""
    written = number(value, unit)
    return f"{written.removesuffix('/s')} per second" if unit == "1/s" else written


def figure(value: float, unit: str, kind: Kind | None) -> str:
    """A metric's value: a share of 1 as per cent, all else as a quantity."""
    return percent(value) if kind == "ratio" else quantity(value, unit)


def ratio(value: float) -> str:
    """A ratio with two decimals, fewer above 10, more while it would read as 1.00: 0.42, 1.004, 23.3, 1,420."""
    if value >= 9.995:
        return f"{value:,.1f}" if value < 99.95 else f"{value:,.0f}"
    for decimals in (2, 3, 4):
        if round(value, decimals) != 1:
            break
    return f"{value:.{decimals}f}"


def percent(share: float) -> str:
    """A share as whole per cent, never 0 % or 100 % unless it is exactly that."""
    if 0 < share <= 0.005:
        return "less than 1 %"
    if 0.995 <= share < 1:
        return "more than 99 %"
    return f"{100 * share:.0f} %"


def listed(names: Sequence[str]) -> str:
    """As ext3, ext4 and xfs."""
    return _joined(names, "and")


def either(configurations: Sequence[str]) -> str:
    """As ext3, ext4 or xfs."""
    return _joined(_apart(configurations), "or")


def some(configurations: Sequence[str], most: int = 6) -> str:
    """As ext3, ext4 and 12 more: all of them where there are no more than `most`."""
    names = _apart(configurations)
    return listed(names) if len(names) <= most else listed([*names[: most - 1], f"{len(names) - most + 1} more"])


def _joined(names: Sequence[str], word: str) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"


def _apart(configurations: Sequence[str]) -> list[str]:
    """The names of several configurations, with settings that follow a comma in parentheses: ext4 (each file synced)."""
    if len(configurations) == 1:
        return list(configurations)
    parts = (name.partition(", ") for name in configurations)
    return [f"{first} ({rest})" if rest else first for first, _, rest in parts]


def settings(setting: str, scheduler: str | None) -> str:
    """A configuration's settings, as: no access times, I/O scheduler bfq; empty where there are none."""
    return ", ".join(part for part in (setting, f"I/O scheduler {scheduler}" if scheduler else "") if part)


def named(configuration: str, described: str) -> str:
    """A configuration with its settings in words, as ext4+m0 (no space reserved for root)."""
    return f"{configuration} ({described})" if described else configuration


def minutes(seconds: float) -> str:
    """A length of time in words, as less than a minute, 3 minutes, 1.5 hours."""
    if seconds < 60:
        return "less than a minute"
    return counted(round(seconds / 60), "minute") if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def family(name: str) -> str:
    """As Storage profile, of a family that has no questions, and so no title."""
    return name.replace("_", " ").capitalize()


def counted(n: int, noun: str) -> str:
    """As 1 repetition, 3 repetitions."""
    return f"{n} {noun if n == 1 else noun + 's'}"


def interval(low: float, high: float, confidence: float, least: bool = False) -> str:
    """As (95 % interval 1.10 to 1.33), or of a lower bound (95 % interval: at least 1.10)."""
    if least:
        return f"({100 * confidence:g} % interval: at least {ratio(low)})"
    if low == high:
        return "(the same in every repetition)"
    ends = [_end(low), _end(high)]
    ends_text = f"{ends[0]} to {ends[1]}" if ends[0] != ends[1] else "narrower than the last digit"
    return f"({100 * confidence:g} % interval {ends_text})"


def worse(times: float, low: float, high: float, confidence: float, than: str) -> str:
    """How much worse one is, with the interval: 9 % worse than xfs (95 % interval 3 % to 16 %); from 2 times in ratios."""
    if times >= 2:
        return f"{ratio(times)} times worse {than} {interval(low, high, confidence)}"
    share = f"{_more(times)} worse {than}" if round(times, 4) != 1 else f"less than 0.1 % worse {than}"
    if low == high:
        return f"{share} {interval(low, high, confidence)}"
    ends = dict.fromkeys([_more(low), _more(high)])
    return f"{share} ({100 * confidence:g} % interval {' to '.join(ends)})"


def _more(value: float) -> str:
    """A ratio as the per cent above 1: 9 %, 0.3 %, −4 %; one that is not 1 is never 0 %."""
    share = 100 * (value - 1)
    digits = f"{abs(share):.{0 if abs(share) >= 0.95 else 1}f}"
    if digits == "0.0":
        return "0 %" if share == 0 else f"just {'above' if share > 0 else 'below'} 0 %"
    return f"{'−' * (share < 0)}{digits} %"


def _end(value: float) -> str:
    """An end of an interval: one that is not 1 never reads as if it were."""
    written = ratio(value)
    return f"just {'above' if value > 1 else 'below'} 1" if written == "1.0000" and value != 1 else written


def comparison(
    best: str, other: str, times: float, unit: str, better: Better, many: bool = False, least: bool = False
) -> str:
    """How much worse `other` is than `best`, as: btrfs takes 1.81 times as long as ext4. `many`: a number of things;
    `least`: `times` is a lower bound.
    """
    if unit in RATES and better == "higher":
        return f"{best} is {ratio(times)} times as fast as {other}"
    if better == "higher":
        return f"{best} has {ratio(times)} times as {'many' if many else 'much'} as {other}"
    verb, bound = "takes" if unit == "s" else "needs", "at least " * least
    return f"{other} {verb} {bound}{ratio(times)} times as {_much(unit)} as {best}"


def too_short(longest: float, bound: float) -> str:
    """Why a step has no rank."""
    return f"too short to matter, at most {quantity(longest, 's')} here (times are compared from {declared(bound)})"


def declared(seconds: float) -> str:
    """A length of time that was chosen, as 20 ms."""
    return f"{seconds:g} s" if seconds >= 1 else f"{1000 * seconds:g} ms"


def counting(seconds: Sequence[float]) -> str:
    """How times below these bounds count, as: times below 200 ms count as 200 ms."""
    bounds = [declared(each) for each in sorted(set(seconds))]
    return f"times below {' or '.join(bounds)} count as {bounds[0] if len(bounds) == 1 else 'that long'}"


def _much(unit: str) -> str:
    return "long" if unit == "s" else "much"
