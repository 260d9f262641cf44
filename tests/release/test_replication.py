"""Does it hold elsewhere? Answers of machines are counted; a session that is there twice is told once."""

import hashlib
import zipfile
from datetime import date

import pytest

import factory
from spindlemark.analysis import database
from spindlemark.analysis.findings import compute, load
from spindlemark.analysis.findings.model import Findings, Group, Recommendation
from spindlemark.core import paths
from spindlemark.core.errors import UserError
from spindlemark.release import versions as release
from spindlemark.release.contributions import replication, replication_model
from spindlemark.release.contributions.machine import Machine, of_facts
from spindlemark.release.contributions.replication_model import AnalysedContribution
from spindlemark.release.ro_crate import crate

DEVICE = {"device.kind": "loop", "kernel": "6.18", "machine.cpus": 2}


def group(
    cpu: str, first: list[str], verdict: str = "better", session: str = "a", ranked: str = "ext4 xfs btrfs", **facts
) -> Group:
    advice = Recommendation(
        verdict=verdict,
        statements=["said"],
        tasks=[],
        options=[],
        first=first,
        scores={s: float(n) for n, s in enumerate(ranked.split())},
        probability_best={},
    )
    return Group(
        group="loop--picture",
        question="best",
        testbed="loop",
        family="filesystem_lifecycle",
        library="picture",
        library_factors={},
        conditions=DEVICE | {"machine.cpu": cpu} | facts,
        session=session,
        configurations=ranked.split(),
        metrics=[],
        absent=[],
        notes=[],
        recommendation=advice,
    )


def findings(*groups: Group) -> Findings:
    return Findings(
        confidence=0.95,
        practical_threshold=0.05,
        shortest_rankable_seconds=0.01,
        relative_width=0.2,
        groups=list(groups),
    )


def heard(*groups: Group, file: str = "a.zip") -> AnalysedContribution:
    return AnalysedContribution(
        file=file,
        sha256="0" * 64,
        bytes=1,
        machine=of_facts(groups[0].conditions),
        sessions=["a"],
        records=1,
        succeeded=1,
        first=date(2026, 11, 1),
        last=date(2026, 11, 1),
        commits=[],
        findings=findings(*groups),
    )


def asked(own: list[Group], *bundles: AnalysedContribution):
    return replication.gather(findings(*own), bundles).replications


def test_a_subject_leads_on_some_machines_and_the_others_are_named():
    [found] = asked(
        [group("A", ["xfs"])],
        heard(group("B", ["xfs"])),
        heard(group("C", ["ext4"])),
        heard(group("D", [], "undecided")),
        heard(group("E", ["jfs", "f2fs"], "equivalent", ranked="jfs f2fs")),
    )
    assert (found.held[0].configuration, len(found.held[0].on), len(found.held[0].of)) == ("xfs", 2, 3)
    assert found.statement.startswith("xfs leads on 2 of 3 machines that decided: A, 2 CPUs (")
    assert "; ext4 leads on C" in found.statement
    assert "; undecided on D" in found.statement
    assert "; jfs and f2fs lead on E" in found.statement and "where xfs was not measured" in found.statement


def test_sessions_of_one_machine_are_one_answer():
    [found] = asked(
        [group("A", ["xfs", "ext4"], "equivalent")],
        heard(group("A", ["ext4"], session="b"), file="b.zip"),
        heard(group("B", ["ext4"])),
    )
    assert [(a.verdict, a.first, a.sessions) for a in found.answers] == [
        ("equivalent", ["ext4"], 2),
        ("better", ["ext4"], 1),
    ]
    [found] = asked(
        [group("A", ["xfs"])], heard(group("A", ["ext4"], session="b"), file="b.zip"), heard(group("B", ["ext4"]))
    )
    assert found.answers[0].verdict == "sessions differ" and not found.answers[0].first


def test_a_session_that_is_there_already_is_not_told_twice():
    joined = replication.gather(findings(group("A", ["xfs"])), [heard(group("A", ["ext4"]))])
    assert [answer.file for answer in joined.machines[0].answers] == [None]


@pytest.mark.parametrize("facts", [{"device.kind": "ram"}, {"machine.emulated": True}, {"device.throttle.read": 5e8}])
def test_kinds_of_device_are_never_put_together(facts):
    assert asked([group("A", ["xfs"])], heard(group("B", ["xfs"], **facts))) == []


def test_answers_of_another_method_or_workload_are_not_compared():
    own = group("A", ["xfs"], method=4)
    assert len(asked([own], heard(group("B", ["xfs"], method=4)))) == 1
    assert asked([own], heard(group("B", ["xfs"], method=3))) == []
    fewer = group("B", ["xfs"], method=4).model_copy(update={"library_factors": {"files": 160}})
    assert asked([own], heard(fewer)) == []


def test_a_virtual_machine_is_its_host():
    own = {"host": "0" * 12, "machine.cpu": "A", "machine.cpus": 8}
    assert (
        of_facts(own)
        == of_facts(own | {"machine.cpus": 2, "machine.host_cpus": 8})
        == Machine(host="0" * 12, cpu="A", cpus=8)
    )


def frozen(tmp_path, bundle: bytes):
    """A release beside which a bundle of the same results was joined."""
    records = [path for fs in ("ext4", "xfs") for path in factory.write(tmp_path, factory.experiment(fs, "picture"), 3)]
    build, found, told = tmp_path / "data.duckdb", tmp_path / "findings.json", tmp_path / "joined.json"
    database.build(records, build)
    own = compute(build, load(), 0.2)
    found.write_text(own.model_dump_json())
    name = next(paths.JOINED.glob("*.zip")).name
    said = heard(group("B", ["xfs"]), file=name).model_copy(update={"sha256": hashlib.sha256(bundle).hexdigest()})
    told.write_text(replication.gather(own, [said]).model_dump_json())
    return name, release.freeze(
        "2026.11", records, build, found, tmp_path / "releases", None, {"quick": []}, code=tmp_path, joined=told
    )


def test_a_release_freezes_the_bundles_and_what_they_say(tmp_path):
    bundle = next(paths.JOINED.glob("*.zip")).read_bytes()
    name, folder = frozen(tmp_path, bundle)
    assert (folder / "joined" / name).read_bytes() == bundle
    assert len(replication_model.read(folder / "joined.json").machines) == 2
    release.verify(folder)
    crate.make("2026.11", tmp_path / "crate.zip", folder.parent, tmp_path / "publications")
    with zipfile.ZipFile(tmp_path / "crate.zip") as whole:
        assert any(entry.endswith(f"joined/{name}") for entry in whole.namelist())


def test_a_bundle_that_is_another_one_is_not_frozen(tmp_path):
    with pytest.raises(UserError, match="differs from the analysed contribution"):
        frozen(tmp_path, b"another")
    assert not (tmp_path / "releases" / "2026.11").exists()
