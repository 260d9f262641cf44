"""An aged filesystem: what is recorded and deleted before the assets are written."""

import subprocess
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from pydantic import ValidationError

from spindlemark.core.errors import UserError
from spindlemark.families.http_streams import ageing

AGEING = {"tuners": 2, "smallest": "16 KiB", "largest": "600 KiB", "flush": "64 KiB", "filled": 0.8, "overwritten": 2}
SIZE = 16 << 20


def test_recordings_come_and_go_and_leave_gaps_for_the_assets(tmp_path):
    runs, notes = [], {}
    factor = ageing.factor("aged", ageing.Ageing.model_validate(AGEING), SIZE, "x.yaml")
    session = prepared(tmp_path, factor, runs, notes)
    ageing.prepare(session, needed=6 << 20)
    kept = sorted((tmp_path / "old-recordings").iterdir(), key=lambda path: int(path.name))
    assert notes["age.recorded_bytes"] >= 2 * SIZE
    assert notes["age.kept_bytes"] == sum(path.stat().st_size for path in kept) <= 0.98 * 0.8 * SIZE - (6 << 20)
    numbers = [int(path.name) for path in kept]
    assert numbers[-1] - numbers[0] + 1 > len(numbers) > 1, "recordings between them were deleted"
    assert runs[-1][0] == "sync"


def prepared(folder, factor, runs, notes):
    """A repetition that runs the recorder for real."""

    def run(words, limit=0):
        runs.append([str(word) for word in words])
        done = subprocess.run(runs[-1], check=True, capture_output=True, text=True, timeout=60)
        return SimpleNamespace(stdout=done.stdout)

    return SimpleNamespace(
        factors={"age": factor, "filesystem": {}},
        testbed=SimpleNamespace(mount_point=folder, size=SIZE),
        number=1,
        step=lambda name, cold=True: nullcontext(),
        run=run,
        note=notes.update,
    )


def test_a_new_filesystem_stays_as_it_is(tmp_path):
    runs = []
    ageing.prepare(prepared(tmp_path, {"name": "fresh"}, runs, {}), needed=1)
    assert runs == [] and list(tmp_path.iterdir()) == []


def test_assets_leave_room_for_a_quarter_of_the_recordings():
    factor = ageing.factor("aged", ageing.Ageing.model_validate(AGEING), SIZE, "x.yaml")
    assert ageing.room_bytes(factor, SIZE) == int(0.75 * 0.98 * 0.8 * SIZE)
    assert ageing.room_bytes({"name": "fresh"}, SIZE) == int(0.8 * SIZE)


def test_recordings_that_do_not_fit_are_refused():
    large = ageing.Ageing.model_validate(AGEING | {"largest": "8 MiB"})
    with pytest.raises(UserError, match=r"scale.ageing.largest: 2 recordings in progress"):
        ageing.factor("aged", large, SIZE, "x.yaml")
    with pytest.raises(ValidationError, match="smallest is larger"):
        ageing.Ageing.model_validate(AGEING | {"smallest": "1 MiB"})
