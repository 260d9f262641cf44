"""A network on one machine: what it does to packets, what it lets nobody reach, and what is left of it: nothing."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from network import BED, at, connected, opening, round_trips, run
from processes import ended
from spindlemark.config.links import Conditions
from spindlemark.core import private_files as kept
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Broken, Invalid, Unsupported
from spindlemark.core.paths import ROOT
from spindlemark.testbeds import link, link_watch, namespaces, relay, shaping


@pytest.fixture
def opened(private):
    """Open a link with the settings given; it is cleaned in the end, and that a second time."""
    with opening(BED) as enter:
        yield enter
    assert not (kept.RUN / f"net-{os.getpid()}").exists()


def test_server_and_clients_reach_each_other_and_nothing_else(opened):
    one = opened(mtu="9000")
    before = one.carried()
    client, server = connected(one)
    with client, server:
        client.sendall(bytes(100_000))
        got = 0
        while got < 100_000:
            got += len(server.recv(1 << 16))
    sent = one.carried().since(before)
    assert sent.client_bytes > 100_000 and sent.client_packets > 1 and 0 < sent.server_bytes < 100_000
    for end in (one.server, one.client):
        routes = at(one, end, "ip", "-4", "route", "show").stdout
        assert routes.strip().startswith("198.18.0.0/30 dev ") and len(routes.splitlines()) == 1
        assert at(one, end, "ip", "-br", "link").stdout.count("\n") == 2, "loopback, and its end of the link"
        assert at(one, end, "ip", "route", "get", "192.0.2.1").exit_code != 0
    assert "link" not in "".join(name for name in os.listdir("/sys/class/net") if name == one.server.interface)
    assert "198.18." not in run(["ip", "-4", "route", "show", "table", "all"]).stdout


def test_a_command_runs_as_nobody_with_no_right_of_root(opened):
    one = opened()
    said = at(
        one, one.client, "sh", "-c", "grep -E '^(Uid|Groups|CapBnd|NoNewPrivs)' /proc/self/status", user="nobody"
    ).stdout
    told = {line.split(":")[0]: line.split(":")[1].split() for line in said.splitlines()}
    assert set(told["Uid"]) == {"65534"} and int(told["CapBnd"][0], 16) == 0 and told["NoNewPrivs"] == ["1"]
    assert "0" not in told["Groups"]
    assert at(one, one.client, "ip", "link", "set", "lo", "down", user="nobody").exit_code != 0


def test_packets_are_as_large_and_as_many_as_asked(opened):
    one = opened(mtu="16348", offloads="off")
    for end in (one.server, one.client):
        assert " mtu 16348 " in at(one, end, "ip", "link", "show", end.interface).stdout
    assert (
        "tcp-segmentation-offload: off" in run(one.within(one.client, ["ethtool", "-k", one.client.interface])).stdout
    )
    before = one.carried()
    shaping.speed(one.server, one.client, 0.1)
    sent = one.carried().since(before)
    assert sent.server_bytes / sent.server_packets <= 16348 + 14


def test_a_rate_is_proved_and_can_change(opened):
    one = opened(link_rate="100-mbit")
    assert 0.85 * 100e6 < one.facts()["link.proved_bits_per_second.100000000"] <= 102e6
    one.shape(Conditions(rate=20_000_000))
    assert shaping.speed(one.server, one.client, 0.6) * 8 < 40e6  # what a busy machine had not taken yet counts too
    one.shape(Conditions())
    assert shaping.speed(one.server, one.client) * 8 > 200e6


def test_a_rate_that_nothing_here_carries_is_invalid_and_no_fault_of_the_testbed(opened):
    with pytest.raises(Invalid, match="does not have its rate of 9,000,000,000,000 bit/s"):
        opened(link_rate="9000-gbit")


def test_packets_come_later_and_some_never(opened):
    one = opened(delay="10-ms", loss="20-percent")
    one.shape(Conditions(delay=0.01))
    assert sorted(round_trips(one, 9))[4] >= 0.02
    one.shape(Conditions(loss=0.2))
    # A few at a time: what waits for a relay that has no processor is not lost by it, and a full queue drops the rest uncounted.
    done = at(
        one,
        one.client,
        sys.executable,
        "-P",
        "-c",
        "import socket, time; s = socket.socket(type=socket.SOCK_DGRAM); "
        f"[(s.sendto(b'x', ('{one.server.address}', 9)), n % 20 or time.sleep(0.01)) for n in range(1000)]",
    )
    assert done.exit_code == 0
    give_up = time.monotonic() + 20
    while (facts := one.facts()).get("link.relay.lost", 200) <= 100 and time.monotonic() < give_up:
        time.sleep(0.05)
    assert facts["link.disturbed_by"] == ("netem" if facts["link.netem"] else "relay")
    if facts["link.disturbed_by"] == "relay":
        assert 100 < facts["link.relay.lost"] < 400 and facts["link.relay.cpu_seconds"] > 0


def test_a_link_without_a_relay_cannot_begin_to_delay(opened):
    one = opened()
    if shaping.has_netem(one.server.namespace):
        one.shape(Conditions(delay=0.01))
        assert min(round_trips(one, 5)) >= 0.02
    else:
        with pytest.raises(Unsupported, match="no netem"):
            one.shape(Conditions(delay=0.01))


def test_congestion_control_is_what_was_asked(opened):
    one = opened(congestion="reno")
    client, server = connected(one)
    with client, server:
        assert {end.getsockopt(6, 13, 16).strip(b"\0") for end in (client, server)} == {b"reno"}  # TCP_CONGESTION


def test_a_congestion_control_that_nobody_has_is_unsupported(opened):
    with pytest.raises(Unsupported, match="no congestion control nosuch"):
        opened(congestion="nosuch")


@pytest.mark.parametrize("setting", [{}, {"delay": "1-ms"}])
def test_a_link_that_is_taken_down_is_nobodys_failure(opened, setting):
    one = opened(**setting)
    one.transferred()
    at(one, one.client, "ip", "link", "set", one.client.interface, "down")
    for ask in (one.transferred, one.facts, one.carried):
        with pytest.raises(Broken, match="went down"):
            ask()
    at(one, one.client, "ip", "link", "delete", one.client.interface)
    with pytest.raises(Broken, match="was removed|went down"):
        one.transferred()


def test_without_netem_and_tun_packets_cannot_be_disturbed(opened, monkeypatch, tmp_path):
    monkeypatch.setattr(shaping, "has_netem", lambda namespace: False)
    monkeypatch.setattr(relay, "_TUN", tmp_path / "none")
    with pytest.raises(Unsupported, match="neither netem nor TUN devices"):
        opened(delay="1-ms")


def test_netem_loses_packets_one_by_one(opened):
    one = opened()
    one.netem = True
    with suppress(Unsupported):  # from here on it is the kernel's business
        one.shape(Conditions(loss=0.01))
    said = at(one, one.server, "ethtool", "-k", one.server.interface).stdout
    assert "tcp-segmentation-offload: off" in said and one.facts()["link.offloads"] == "off"


def test_the_words_for_netem_are_those_that_tc_knows(opened):
    """Also where the kernel has no netem: then it is the kernel that refuses, and not tc that asks what is meant."""
    one = opened()
    for words in shaping.queue_commands(one.client.interface, 1500, Conditions(10_000_000, 0.01, 0.002, 0.001), True):
        done = at(one, one.client, *words)
        assert not done.exit_code or "kind is unknown" in done.stderr or "parent" in " ".join(words), done.stderr


def test_a_kernel_without_a_queue_is_no_broken_harness(opened):
    one = opened()
    with pytest.raises(Unsupported, match="this kernel does not support: tc qdisc add .* kind is unknown"):
        link_watch.command(one.client, ["tc", "qdisc", "add", "dev", one.client.interface, "root", "nosuchqueue"])


def test_a_relay_that_is_killed_is_nobodys_failure(opened):
    one = opened(delay="1-ms")
    if one.relayed is None:
        pytest.skip("this kernel has netem")
    one.relayed.process.kill()
    one.relayed.process.wait()
    with pytest.raises(Broken, match="was removed"):
        one.facts()


CHILD = """
import subprocess, sys, time
sys.path[:0] = [{tests!r}]
from network import BED, run
from spindlemark.testbeds import link
with link.opened("test", BED, 0, {{"scheduler": "none", "delay": "1-ms"}}, run) as one:
    # A server that has left its parent's process group, as those do that go into the background.
    outlives = "import os, time; os.setsid(); print(os.getpid(), flush=True); time.sleep(600)"
    child = subprocess.Popen(one.within(one.server, [sys.executable, "-c", outlives]), stdout=subprocess.PIPE, text=True)
    print(child.stdout.readline().strip(), flush=True)
    time.sleep(600)
"""


def test_kill_9_leaves_nothing_after_the_next_start(private):
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD.format(tests=str(ROOT / "tests/helpers"))], stdout=subprocess.PIPE, text=True
    )
    server = int(child.stdout.readline())
    child.kill()
    child.wait()
    assert Path(f"/proc/{server}").exists(), "it outlives its parent, and keeps the namespace"
    link.clean("test", BED)
    assert ended(server)
    assert not list(kept.RUN.glob(f"net-{child.pid}*"))


def test_what_runs_in_other_namespaces_is_left_alone(private, tmp_path):
    """A note whose namespace's number was given to somebody else's since, and a namespace of another program."""
    other = subprocess.Popen(["unshare", "--net", "sleep", "600"])
    try:
        path, give_up = Path(f"/proc/{other.pid}/ns/net"), time.monotonic() + 30
        while path.stat().st_ino == Path("/proc/self/ns/net").stat().st_ino and time.monotonic() < give_up:
            time.sleep(0.01)
        gone = subprocess.run(
            [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
        )
        kept.write_note(f"net-{gone.stdout.strip()}", {"namespaces": [path.stat().st_ino], "interface": "link0a1b2c3d"})
        link.clean("test", BED)
        assert other.poll() is None and not list(kept.RUN.glob(f"net-{gone.stdout.strip()}*"))
    finally:
        other.kill()
        other.wait()


def test_what_lies_in_the_way_is_refused_and_untouched(private):
    folder = kept.folder(kept.RUN) / f"net-{os.getpid()}"
    folder.mkdir(mode=0o700)
    (folder / "server").write_text("somebody's")
    try:
        with pytest.raises(UserError, match="server: is in the way, and was not made by this program"):
            link.opened("test", BED, 0, {"scheduler": "none"}, run).__enter__()
        assert (folder / "server").read_text() == "somebody's"
    finally:
        (folder / "server").unlink()
        folder.rmdir()


def test_this_process_stays_where_it_is(opened):
    before = Path("/proc/self/ns/net").readlink()
    one = opened()
    assert namespaces.inside(Path(one.server.namespace), lambda: Path("/proc/thread-self/ns/net").readlink()) != before
    assert Path("/proc/self/ns/net").readlink() == Path("/proc/thread-self/ns/net").readlink() == before
