"""What network_share asks of shares, what each client can do, and how its servers are configured."""

import re
import subprocess
from types import SimpleNamespace

import pytest

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Unsupported
from spindlemark.core.process import programs
from spindlemark.families import registry as families
from spindlemark.families.network_share import editing_client, editing_tasks, share_access, share_client, share_servers
from spindlemark.families.network_share import family as network_share
from spindlemark.families.network_share.share_connection import PIECE
from spindlemark.families.network_share.share_servers import Place
from spindlemark.harness.fio_loads import LOADS

FAMILY, MIB = "network_share", 1 << 20
SCALE = {"file_size": "64 MiB", "seconds": 0.2, "task_seconds": 0.4, "scrubs": 30, "pictures": 100}


def test_a_choice_of_loads_and_the_size_are_resolved():
    some = families.factors(FAMILY, {"loads": "in-order"}, SCALE, 256 * MIB)
    assert some == {"loads": "in-order", "file_bytes": 64 * MIB, "seconds": 0.2}
    all_of_them = families.factors(FAMILY, {}, SCALE, 256 * MIB)
    assert {**some, "loads": "all", "editing": all_of_them["editing"]} == all_of_them
    assert all_of_them["editing"]["card_bytes"] == 32 * MIB and all_of_them["editing"]["card_files"] == 24
    assert families.expected(FAMILY, all_of_them, 0)[0] > families.expected(FAMILY, some, 0)[0]


@pytest.mark.parametrize(
    ("chosen", "scale", "words"),
    [
        ({"loads": "none"}, SCALE, ["network_share.yaml", "loads", "in-order"]),
        ({"cache": "x"}, SCALE, ["cache", "loads"]),
        ({}, SCALE | {"file_size": "100 KB"}, ["file_size", "whole 1 MiB"]),
        ({}, SCALE | {"file_size": "200 MiB"}, ["does not fit"]),
        ({}, SCALE | {"task_seconds": 10}, ["scale: file_size", "too short for the streams", "lower task_seconds"]),
        ({}, SCALE | {"scrubs": 65}, ["too short", "65 scrubs"]),
        ({}, {}, ["families.network_share.scale"]),
    ],
)
def test_what_cannot_be_measured_is_refused_with_its_remedy(chosen, scale, words):
    with pytest.raises(UserError) as caught:
        families.factors(FAMILY, chosen, scale, 256 * MIB)
    assert all(word in f"{caught.value} {caught.value.remedy}" for word in words)


def test_what_a_client_cannot_do_has_a_reason():
    every = {
        (p, load, way)
        for p in (share_access.LOCAL, *share_servers.SERVERS)
        for load in LOADS
        for way in ("read", "write")
    }
    without = {each for each in every if share_access.can(*each)}
    assert without == {(p, "rnd4k_q32t16", way) for p in ("smb", "nfs", "webdav") for way in ("read", "write")} | {
        ("webdav", "rnd4k_q1t1", "write")
    }


def test_workers_ask_for_each_place_once():
    for at_random in (False, True):
        task = share_client.Task("nfs", "", 0, "read", bytes=10 * 4096 + 5, block=4096, at_random=at_random, workers=3)
        parts = [share_client._places(share_client.replace(task, worker=n)) for n in range(3)]
        assert sorted(place for part in parts for place in part) == list(range(0, 10 * 4096, 4096))
        assert (parts[0] == [0, 3 * 4096, 6 * 4096, 9 * 4096]) is not at_random


def test_a_frame_is_late_when_it_is_not_there_five_frames_after_its_turn(monkeypatch):
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(
        editing_client,
        "time",
        SimpleNamespace(monotonic=lambda: clock.now, sleep=lambda s: setattr(clock, "now", clock.now + s)),
    )
    pace = editing_client.Pace()
    for number, answer in enumerate(
        (0.199, 0.201, 0.01)
    ):  # seconds; the third waits for its turn, at 0.4 s after two slow ones
        pace.wait(number)
        clock.now += answer
        pace.finished(number)
    assert pace.late == 1 + 1, "the second at 0.4 s instead of 0.24 s, and the third at 0.41 s instead of 0.28 s"
    assert editing_client.frame_bytes(200_000_000) == 1_000_000 <= PIECE, "one request"


def test_a_card_has_films_with_their_metadata_and_thumbnails():
    files = editing_tasks.card(64 * MIB)
    assert sum(files.values()) == 64 * MIB and len(files) == 24
    assert {path.rpartition(".")[2]: size for path, size in files.items()} == {
        "MXF": 8 * MIB - (20 << 10),
        "XML": 4 << 10,
        "JPG": 16 << 10,
    }


def test_nbd_is_a_baseline_and_no_candidate():
    asked = config.load().questions[FAMILY].questions
    assert asked["protocol"].among["protocol.name"] == ["smb", "nfs", "webdav"]
    assert asked["share"].against == {"protocol.name": "nbd"}


def test_a_server_listens_at_the_links_address_alone_and_gives_one_folder(tmp_path):
    place = Place(tmp_path, tmp_path / "state", "198.18.0.1")
    told = {name: server.configuration(place) for name, server in share_servers.SERVERS.items() if server.configuration}
    assert all("198.18.0.1" in text and "0.0.0.0" not in text for text in told.values())
    assert "bind interfaces only = yes" in told["smb"] and told["smb"].count("path = ") == 1
    assert told["nfs"].count("EXPORT {") == 1 and "Squash = All_Squash" in told["nfs"]
    assert told["nfs"].count(f'"{place.state}"') == 2, "else it makes /var/lib/nfs and /var/run/ganesha"
    assert "autoindex off" in told["webdav"] and "location / { return 403; }" in told["webdav"]
    assert "198.18.0.1" in share_servers.SERVERS["nbd"].words(place)
    assert {name: server.rights for name, server in share_servers.SERVERS.items() if server.rights} == {
        "nfs": ("dac_read_search", "setgid")
    }


@pytest.mark.parametrize("protocol", share_servers.SERVERS)
def test_a_recipe_lets_in_only_whom_the_reader_names(protocol):
    lines = families.recipe(FAMILY, {"protocol.name": protocol})
    script = "\n".join(lines)
    assert subprocess.run(["sh", "-n"], input=script, text=True, check=False).returncode == 0
    assert not re.search(r"777|666|guest|0\.0\.0\.0", script) and str(programs.UNPACKED) not in script
    assert "valid users" in script or "deny all" in script or "deny=all" in script or "Access_Type = None" in script
    assert families.recipe(FAMILY, {"protocol.name": share_access.LOCAL}) == []


@pytest.mark.root  # no root as such, but the servers, which only a machine that measures has
@pytest.mark.parametrize(
    ("protocol", "argv", "accepted"),
    [
        ("smb", ["testparm", "-s", "{file}"], "Loaded services file OK"),
        ("webdav", ["nginx", "-t", "-e", "stderr", "-c", "{file}"], "syntax is ok"),
    ],
)
def test_servers_accept_the_configuration_of_a_recipe(tmp_path, protocol, argv, accepted):
    lines = families.recipe(FAMILY, {"protocol.name": protocol})
    begin = next(n for n, line in enumerate(lines) if line.startswith("cat >")) + 1
    text = "\n".join(lines[begin : lines.index("END")])
    for name, value in (("MOUNT_POINT", f"{tmp_path}"), ("ADDRESS", "127.0.0.1"), ("CLIENTS", "127.0.0.0/8")):
        text = text.replace(name, value)
    file = tmp_path / "configuration"
    file.write_text(f"events {{}}\npid {tmp_path}/pid;\nhttp {{\n{text}\n}}\n" if protocol == "webdav" else text)
    words = [word.format(file=file) for word in argv]
    done = programs.run(words, stdout=programs.PIPE, stderr=programs.STDOUT, text=True, check=False)
    assert accepted in done.stdout


def test_late_frames_and_what_tcp_sends_again_are_chance_and_no_other_metric_is():
    told = {name for name, metric in families.metrics(FAMILY).items() if metric.by_chance}
    late = {name for name in families.metrics(FAMILY) if name.endswith("_late_count")}
    assert len(late) == 5 and told == late | {"read_sent_again_count", "write_sent_again_count"}


def test_without_its_list_of_mounts_nfs_is_unsupported_and_no_failure(monkeypatch, tmp_path):
    """As in a minimal system: ganesha would start, and find nothing to share."""
    monkeypatch.setattr(network_share.volume, "require", lambda session: None)
    session = SimpleNamespace(need_tools=lambda tools, package: None, testbed=SimpleNamespace(server=None))
    monkeypatch.setattr(share_servers, "MOUNTS", tmp_path / "mtab")
    with pytest.raises(Unsupported, match="ln -s ../proc/self/mounts"):
        network_share._require(session, "nfs")
    (tmp_path / "mtab").touch()
    network_share._require(session, "nfs")
