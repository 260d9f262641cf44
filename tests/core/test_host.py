"""Which machine it is: the same for every project on it, another for another one, and no name in it."""

import os
import re

import pytest

from spindlemark.core import host


@pytest.fixture(autouse=True)
def found_out_anew():
    host.identity.cache_clear()
    yield
    host.identity.cache_clear()


def named(tmp_path, name):
    file = tmp_path / f"machine-{name}"
    file.write_text(f"{name}\n")
    return file


def test_two_machines_differ_and_neither_is_named(tmp_path):
    own = tmp_path / "own"
    one, other = (host.identity((named(tmp_path, name),), own) for name in ("1d12" * 8, "1d13" * 8))
    assert one != other and one == host.identity((named(tmp_path, "1d12" * 8),), own)
    assert re.fullmatch(r"[0-9a-f]{12}", one) and "1d12" not in one
    assert not own.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root notes a number of its own")
@pytest.mark.parametrize("text", [None, "", "uninitialized\n"])
def test_a_machine_without_identity_gets_one_that_stays(tmp_path, text):
    file, own = tmp_path / "machine-id", tmp_path / "state" / "machine-id"
    if text is not None:
        file.write_text(text)
    first = host.identity((file,), own)
    host.identity.cache_clear()
    assert first and host.identity((file,), own) == first


def test_without_root_nothing_is_noted(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert host.identity((tmp_path / "absent",), tmp_path / "state" / "machine-id") is None
    assert not (tmp_path / "state").exists()
