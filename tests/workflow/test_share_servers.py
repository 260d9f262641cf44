"""Servers and clients of network shares on their own: a port that is taken, a client that never reads, nobody there."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from families_bed import held, measured, values, versions_found_anew  # noqa: F401
from share_programs import need
from spindlemark import config
from spindlemark.core.outcome import Failed
from spindlemark.core.paths import ROOT
from spindlemark.core.process import programs
from spindlemark.core.process.command import execute
from spindlemark.families.network_share.share_names import PORT
from spindlemark.families.network_share.share_servers import SERVERS, prepared, serving
from spindlemark.testbeds import link, namespaces
from spindlemark.testbeds.page_cache import resident

MIB = 1 << 20


@pytest.fixture
def served(needs_root):
    """Serve a file of a megabyte at one end of a link, by a protocol's server; the place and the link."""
    folder = Path(tempfile.mkdtemp(dir="/dev/shm", prefix="spindlemark-test-"))
    declared = config.LinkTestbed(
        description="", kind="link", storage=None, scheduler="none", source_directory="/dev/shm", busy_bound=0.1
    )
    try:
        with link.opened("test", declared, 0, {}, lambda argv: execute(argv, 60)) as made:
            place = prepared(folder, made.server.address, MIB)
            yield SimpleNamespace(testbed=made, commands=[], attachments={}), place
    finally:
        link.clean("test", declared)
        shutil.rmtree(folder)


@pytest.mark.parametrize("protocol", ["nbd", "smb"])
def test_without_a_free_port_a_share_fails_with_its_words(served, protocol):
    """Somebody else who listens there is not taken for it."""
    need(protocol)
    session, place = served
    end = session.testbed.server
    taker = namespaces.inside(Path(end.namespace), lambda: socket.create_server((end.address, PORT)))
    with (
        taker,
        pytest.raises(Failed, match=f"{SERVERS[protocol].program} ended with exit code"),
        serving(session, protocol, place),
    ):
        pytest.fail("it is another one that listens")


@pytest.mark.parametrize("protocol", ["smb", "webdav"])
def test_who_never_reads_holds_nobody_up(served, protocol):
    """Neither the others, nor the end of the server."""
    need(protocol)
    session, place = served
    asked = json.dumps(
        {
            "protocol": protocol,
            "address": place.address,
            "port": PORT,
            "way": "read",
            "bytes": MIB,
            "block": 4096,
            "seconds": 5,
        }
    )
    with namespaces.inside(Path(session.testbed.client.namespace), socket.socket) as silent:
        silent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        with serving(session, protocol, place):
            silent.connect((place.address, PORT))
            silent.sendall(b"GET /share/data HTTP/1.1\r\nHost: x\r\n\r\n" if protocol == "webdav" else b"\0")
            words = [*programs.PYTHON, "-m", "spindlemark.families.network_share.share_client", asked]
            done = execute(session.testbed.within(session.testbed.client, words), 60)
            begun = time.monotonic()
        assert time.monotonic() - begun < 30
    assert done.exit_code == 0 and json.loads(done.stdout)["bytes"] == MIB, done.stderr


@pytest.mark.parametrize("protocol", ["smb", "nfs", "webdav"])
def test_a_client_that_reaches_nobody_says_so(protocol):
    asked = json.dumps(
        {
            "protocol": protocol,
            "address": "127.0.0.1",
            "port": 9,
            "way": "read",
            "bytes": MIB,
            "workers": 2,
            "seconds": 1,
        }
    )
    done = subprocess.run(
        [sys.executable, "-P", "-m", "spindlemark.families.network_share.share_client", asked],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1 and "ConnectionError: a worker did not connect" in done.stderr, done.stderr


def test_what_the_page_cache_holds_of_a_file_is_told():
    with tempfile.TemporaryDirectory(dir=ROOT) as folder:  # on a disk: what lies in memory is its own cache
        _is_told(Path(folder) / "file")


def _is_told(file):
    file.write_bytes(bytes(4 * MIB))
    assert resident(file) == 4 * MIB
    with file.open("rb") as opened:
        os.fsync(opened.fileno())
        os.posix_fadvise(opened.fileno(), 0, 2 * MIB, os.POSIX_FADV_DONTNEED)
    assert resident(file) <= 2 * MIB
    file.write_bytes(b"")
    assert resident(file) == 0
