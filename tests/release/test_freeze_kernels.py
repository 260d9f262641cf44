"""A release of two sessions under two kernels: each has an identity of its own, and both are one answer."""

import json

import pytest

import factory
from release_inputs import given_by
from spindlemark.core.errors import UserError
from spindlemark.core.record import Record
from spindlemark.release import versions as release

KERNELS = {"6.18.0-test": "2026-11-27-aaaa", "6.18.1-test": "2026-11-28-bbbb"}


@pytest.fixture
def given(tmp_path):
    """Two filesystems, measured three times under each kernel."""
    records = []
    for kernel, session in KERNELS.items():
        for filesystem in ("ext4", "xfs"):
            plain = factory.experiment(filesystem, "picture")
            under = factory.experiment(filesystem, "picture", fingerprint=plain.fingerprint | {"kernel": kernel})
            for path in factory.write(tmp_path, under, 3):
                record = Record.model_validate_json(path.read_text())
                record.environment.update({"session.id": session, "run.round": f"{session}.{record.repetition}"})
                path.write_text(record.model_dump_json())
                records.append(path)
    return given_by(records, tmp_path)


def test_both_sessions_are_released_as_one_answer(given, tmp_path):
    folder = release.freeze("2026.11", output=tmp_path / "out", **given)
    assert len(release.verify(folder).records) == 12 + 4, "with the specs of four identities"
    (group,) = json.loads(given["findings"].read_text())["groups"]
    assert sorted(group["sessions"]) == sorted(KERNELS.values())


def test_findings_without_one_of_the_filesystems_are_refused(given, tmp_path):
    report = json.loads(given["findings"].read_text())
    for metric in report["groups"][0]["metrics"]:
        metric["cells"] = [cell for cell in metric["cells"] if cell["configuration"] != "xfs"]
        metric["pairs"] = []
    report["groups"][0]["recommendation"] = None
    given["findings"].write_text(json.dumps(report))
    with pytest.raises(UserError, match="has other experiments"):
        release.freeze("2026.11", output=tmp_path / "out", **given)
