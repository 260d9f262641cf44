"""What a reader should do: the winner, what equals share, or any of few equals, with its figures."""

import pytest

from plain_groups import table
from spindlemark.analysis.findings import actions

SYNCED = ["btrfs, synced", "ext4, synced"]


RATES = {"XXH3": 1.2e9, "MD5": 4e8, "none": 0.0}
TABLES = {
    "verify_bytes_per_second": table("verify_bytes_per_second", RATES, unit="B/s", better="higher"),
    "lost_seconds": table("lost_seconds", {"XXH3": 0.09, "btrfs, synced": 0.1, "ext4, synced": 0.2}),
}
CHECK = "Check with {best}: 1 TB takes {verify_bytes_per_second:1 TB}."


@pytest.mark.parametrize(
    ("template", "verdict", "order", "first", "text"),
    [
        (CHECK, "better", ["XXH3", "MD5"], ["XXH3"], "Check with XXH3: 1 TB takes 14 minutes. "),
        (CHECK, "slightly_better", ["MD5", "XXH3"], ["MD5"], "Check with MD5: 1 TB takes 42 minutes. "),
        (CHECK, "equivalent", ["XXH3", "MD5"], ["XXH3", "MD5"], "Check with XXH3 or MD5: 1 TB takes 42 minutes. "),
        (CHECK, "undecided", ["XXH3", "MD5"], ["XXH3", "MD5"], ""),
        (CHECK, "better", ["none", "MD5"], ["none"], ""),
        (CHECK, "better", ["BLAKE3", "MD5"], ["BLAKE3"], ""),
        ("Use {best}: {lost_seconds}.", "better", ["XXH3", "MD5"], ["XXH3"], "Use XXH3: 90.0 ms. "),
        ("Use {best}: {lost_seconds}.", "better", ["MD5", "XXH3"], ["MD5"], ""),
        ("Use {best}: {unknown}.", "better", ["XXH3", "MD5"], ["XXH3"], ""),
        ("", "better", ["XXH3", "MD5"], ["XXH3"], ""),
        ("Use {best}.", "undecided", [*SYNCED, "xfs, plain"], SYNCED, "Use synced. "),
        ("Use {best}: {lost_seconds}.", "undecided", [*SYNCED, "xfs, plain"], SYNCED, "Use synced: 200 ms. "),
        ("", "undecided", [*SYNCED, "xfs, synced", "xfs, plain"], SYNCED, "The best have in common: synced. "),
        ("", "equivalent", [*SYNCED, "xfs, synced"], SYNCED, ""),
        (
            "",
            "equivalent",
            ["btrfs, a", "btrfs, b", "xfs, a"],
            ["btrfs, a", "btrfs, b"],
            "The best have in common: btrfs. ",
        ),
        ("Use {best}.", "equivalent", list("abcde"), list("abcd"), "Use a. "),
    ],
)
def test_an_action_names_what_to_choose_and_its_cost(template, verdict, order, first, text):
    assert actions.of(template, verdict, order, first, TABLES) == text
