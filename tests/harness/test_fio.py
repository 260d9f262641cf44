"""The call of fio: its JSON whole, its own words when it fails."""

import zlib

import pytest

from spindlemark.core.outcome import Failed, Unsupported
from spindlemark.harness import fio, repetition
from spindlemark.harness.repetition import Repetition


@pytest.fixture
def plain():
    """A session outside any step: commands are run and kept, nothing is measured."""
    return Repetition(spec=None, number=1, registry=None, declared=None)


def job(folder, *more):
    return ["--name=job", f"--directory={folder}", "--rw=write", "--bs=4k", "--size=64k", *more]


def test_the_output_is_returned_and_kept(plain, tmp_path):
    out = fio.run(plain, job(tmp_path), 20, "written")
    assert out["jobs"][0]["write"]["io_bytes"] == 65536 and plain.attachments["written"] is out
    command = plain.commands[-1]
    assert command.argv[0] == "fio" and command.exit_code == 0 and command.seconds > 0
    assert [file.name for file in tmp_path.iterdir()] == ["job.0.0"]


def test_warnings_before_the_json_do_no_harm(plain, tmp_path):
    out = fio.run(plain, job(tmp_path, "--ioengine=psync", "--iodepth=4"), 20)
    assert out["jobs"][0]["error"] == 0 and plain.attachments == {}


def test_content_stays_random_to_the_end_of_a_job(plain, tmp_path):
    fio.run(plain, ["--name=job", f"--directory={tmp_path}", "--rw=write", "--bs=1m", "--size=16m"], 20)
    end = (tmp_path / "job.0.0").read_bytes()[-(2**17) :]
    assert len(zlib.compress(end)) >= len(end)


def test_an_error_is_a_failed_subject_in_the_words_of_fio(plain):
    with pytest.raises(Failed, match=r"^full: fio ended with exit code 1: .*No space left on device"):
        fio.run(
            plain,
            ["--name=job", "--filename=/dev/full", "--rw=write", "--bs=4k", "--size=64k", "--direct=0"],
            20,
            "full",
        )
    assert plain.attachments["full"]["jobs"][0]["error"] == 28


def test_a_job_that_fio_does_not_understand_fails(plain, tmp_path):
    with pytest.raises(Failed, match="nosuch not loadable"):
        fio.run(plain, job(tmp_path, "--ioengine=nosuch"), 20)


def test_a_hung_fio_is_ended(plain, tmp_path):
    with pytest.raises(Failed, match="killed after 0.5 s"):
        fio.run(plain, job(tmp_path, "--thinktime=10000000"), 0.5)


def test_no_fio_is_unsupported_and_names_the_package(plain, tmp_path, monkeypatch):
    monkeypatch.setattr(repetition, "find", lambda tool: None)
    with pytest.raises(Unsupported, match="package fio"):
        fio.run(plain, job(tmp_path), 20)
