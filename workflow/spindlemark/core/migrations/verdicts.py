"""Findings of format 1: a difference was supported or not, where today it has one of three verdicts."""

from spindlemark.core.migrations.upgrades import Content, step


@step("findings", 1)
def _three_verdicts(old: Content) -> Content:
    """Releases 2026.11 and 2026.11.1: a difference was supported or not; settings and kernels had shapes of their own."""
    groups = old["groups"]
    contrasts = [each for group in groups for each in _gains(group, group.pop("gains", []))]
    contrasts += [each for change in old.pop("kernels", []) for each in _kernels(change)]
    for group in groups:
        for table in group["metrics"]:
            table["pairs"] = [_pair(pair) for pair in table["pairs"]]
            _judge_cells(table)
        if advice := group["recommendation"]:
            advice["verdict"] = _verdict(advice.pop("supported"))
            advice["first"] = [o["subject"] for o in advice["options"] if o["tier"] == 1]
        group["contenders"] = group["subjects"]
        if rate := group["conditions"].pop("rate.bytes_per_second", None):
            group["library_factors"]["bytes_per_second"] = rate
    return old | {"contrasts": contrasts}


def _verdict(supported: bool) -> str:
    return "better" if supported else "undecided"


def _pair(pair: Content) -> Content:
    return {**{k: v for k, v in pair.items() if k != "supported"}, "verdict": _verdict(pair["supported"])}


def _judge_cells(table: Content) -> None:
    """The verdict of the best against each other ranked cell: format 1 stores it with the pair only."""
    found = {frozenset((pair["better"], pair["worse"])): pair["verdict"] for pair in table["pairs"]}
    for cell in table["cells"][1:]:
        if cell["tier"] is not None:
            cell["verdict"] = found.get(frozenset((table["cells"][0]["subject"], cell["subject"])))


def _gains(group: Content, gains: list[Content]) -> list[Content]:
    """One entry per baseline, for a setting or a scheduler: format 1 did not separate the two."""
    found: dict[str, list[Content]] = {}
    for gain in gains:
        supported = gain.pop("supported")
        side = ("gain" if gain["ratio"] > 1 else "loss") if supported else "level"
        found.setdefault(gain["baseline"], []).append({**gain, "verdict": _verdict(supported), "side": side})
    workload = group.get("library", "")
    return [
        {
            "question": "setting",
            "title": "",
            "family": group["family"],
            "testbed": group["testbed"],
            "same": "--".join(part for part in (baseline, workload) if part),
            "library": workload,
            "workload_title": group.get("workload_title", ""),
            "group": group["group"],
            "baseline": baseline,
            "rows": rows,
            "statement": "",
        }
        for baseline, rows in found.items()
    ]


def _kernels(change: Content) -> list[Content]:
    """One entry per configuration, which compares the two kernels."""
    before, after = change["before"], change["after"]
    shared = {
        "question": "kernel",
        "title": "",
        "family": change["family"],
        "testbed": after["testbed"],
        "library": change["library"],
        "workload_title": change["title"],
        "group": after["group"],
        "emulated": change["emulated"],
        "baseline": before["kernel"],
        "sides": {before["kernel"]: before["testbed"], after["kernel"]: after["testbed"]},
        "statement": change["statement"],
    }
    found: dict[str, list[Content]] = {}
    for row in change["rows"]:
        found.setdefault(row["subject"], []).append(_kernel(row, before["kernel"], after["kernel"]))
    return [
        {**shared, "same": "--".join(part for part in (configuration, change["library"]) if part), "rows": rows}
        for configuration, rows in found.items()
    ]


def _kernel(row: Content, before: str, after: str) -> Content:
    """A row of format 1 has the ratio of values, after over before."""
    turned = row["better"] == "lower"
    ends = (row["high"], row["low"]) if turned else (row["low"], row["high"])
    ratio, low, high = ((1 / x if turned else x) for x in (row["ratio"], *ends))
    side = {"better": "gain", "worse": "loss", "changed": "changed", "level": "level"}[row["verdict"]]
    return {
        "subject": after,
        "baseline": before,
        "metric": row["metric"],
        "title": row["title"],
        "unit": row["unit"],
        "better": row["better"],
        "median": row["after"],
        "n": row["after_n"],
        "baseline_median": row["before"],
        "baseline_n": row["before_n"],
        "ratio": ratio,
        "low": low,
        "high": high,
        "p": row["p"],
        "verdict": _verdict(row["supported"]),
        "side": side,
        "statement": "",
    }
