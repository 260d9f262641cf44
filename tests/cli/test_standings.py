"""What a run shows after each block: an order without intervals at first, multiples of the best with intervals later."""

from rich.console import Console

import factory
from findings_data import Lab, run
from spindlemark.cli.terminal import standings

STEPS = ("copy_seconds", "check_seconds", "delete_seconds")


def _shown(lab: Lab, capsys, block: int) -> str:
    standings.show(Console(width=180), lab.findings(), block, 3, 600.0)
    return capsys.readouterr().out


def test_it_grows_from_medians_to_multiples_with_intervals(tmp_path, capsys):
    lab = Lab(tmp_path)
    for block in (1, 2, 3):
        for subject, factor in (("ext4", 1.0), ("xfs", 1.5)):
            lab.repeated(
                factory.experiment(subject),
                {step: [factor * (1 + block / 100)] for step in STEPS},
                first=block,
                change=run("run", "day"),
            )
        shown = _shown(lab, capsys, block)
        if block == 1:
            assert "ext4 1.01 s, xfs 1.52 s" in shown and "too few blocks for an interval" in shown
    assert "ext4, xfs 1.50× (1." in shown and "better" in shown and "10 min" in shown


def test_nothing_to_compare_says_only_what_comes_next(tmp_path, capsys):
    lab = Lab(tmp_path)
    lab.measured("ext4", {"copy_seconds": [1.0]})
    assert "After block" not in _shown(lab, capsys, 1)
