"""Which session a repetition belongs to: one boot of one machine on one day."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from spindlemark.harness import session

NIGHT = datetime(2026, 11, 22, 23, 50, tzinfo=UTC)


@pytest.fixture
def at(tmp_path, needs_root):
    """Measure at a moment after NIGHT, under a boot; returns the session's fields."""

    def measured(minutes, boot="a", lasts=0):
        begun = NIGHT + timedelta(minutes=minutes)
        fields = session.present(begun, boot, tmp_path / "state" / "session.json")
        session.ended(fields, begun + timedelta(minutes=lasts), tmp_path / "state" / "session.json")
        return fields

    return measured


def test_it_is_one_boot_on_one_day(at):
    first = at(0)
    assert re.fullmatch("2026-11-22-[0-9a-f]{4}", first["session.id"]) and first["session.day"] == "2026-11-22"
    assert at(5) == first
    assert at(6, boot="b")["session.id"] != first["session.id"]
    assert at(24 * 60)["session.day"] == "2026-11-23"


def test_it_goes_on_through_midnight_until_an_hour_passes(at):
    first = at(0, lasts=30)  # ends at 0:20
    assert at(80, lasts=30) == first  # 50 minutes later
    assert at(170)["session.id"] == "2026-11-23-" + first["session.boot"][:4]  # 60 minutes later


def test_a_long_day_is_one_session(at):
    assert at(-700, lasts=5) == at(0)


def test_what_was_kept_may_be_damaged(at, tmp_path):
    first = at(0)
    for text in ("", "[]", "{}", '{"boot": 1}', '{"boot": "x", "day": "../..", "ended": 1e400}', "\\0"):
        (tmp_path / "state" / "session.json").write_text(text)
        assert at(1) == first
