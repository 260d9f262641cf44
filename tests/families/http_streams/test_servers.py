"""How servers are declared, their logs read, and what of a log must agree with the transfers."""

import re
from types import SimpleNamespace

import pytest
from pydantic import ValidationError

from spindlemark import config
from spindlemark.config.servers import Server as Declared
from spindlemark.core.paths import ROOT
from spindlemark.families.http_streams import (
    asset_writer,
    delivery_check,
    web_servers,
)
from spindlemark.families.http_streams.web_servers import Answered

RECORDED = ROOT / "tests/recorded/servers"


def test_a_playlist_names_every_segment_and_how_long_it_is():
    text = asset_writer.playlist(10 * 4096, 4 * 4096, 4096.0)
    assert re.findall(r"^segment-\d$", text, re.MULTILINE) == ["segment-0", "segment-1", "segment-2"]
    assert re.findall(r"#EXTINF:([\d.]+),", text) == ["4.000", "4.000", "2.000"] and "TARGETDURATION:4\n" in text
    assert text.startswith("#EXTM3U\n") and text.endswith("#EXT-X-ENDLIST\n")


@pytest.mark.parametrize(
    ("server", "size"), [("nginx", 6553846), ("apache", 6553811), ("lighttpd", 6553768), ("caddy", 6553600)]
)
def test_the_log_of_each_server_is_read(server, size, tmp_path):
    (tmp_path / "log").write_bytes((RECORDED / f"{server}.log").read_bytes())
    factor = config.load().servers[server].model_dump()
    found = web_servers.Server(factor, tmp_path, {}).answered()
    assert len(found) == 3 and {(line.status, line.bytes) for line in found} == {(200, size)}
    assert all(re.fullmatch(r"/\d+/film", line.path) for line in found)  # recorded when assets had that name
    (tmp_path / "log").write_text("no line of a log\n")
    with pytest.raises(ValueError, match="another shape"):
        web_servers.Server(factor | {"name": server}, tmp_path, {}).answered()


def test_every_configuration_is_filled_in_wholly_and_by_nothing_that_could_mean_more():
    places = {"address": "198.18.0.1", "port": "8080", "root": "/x/films", "folder": "/run/x", "prefix": ""}
    for server in config.load().servers.values():
        filled = web_servers.filled(server.configuration, places)
        assert "198.18.0.1" in filled and not re.search(r"@\w+@", filled)
    for evil in ("/x; autoindex on", "/x\nlisten 80", "/x y", '/x"', "/x{", "/$x"):
        with pytest.raises(ValueError, match="is not filled into"):
            web_servers.filled("root @root@;", places | {"root": evil})


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("configuration", "root @home@;", "home"),
        ("log", {"line": "(", "counts": "all"}, "regular expression"),
        ("log", {"line": "(?P<path>x)", "counts": "all"}, "no group called bytes"),
        ("arguments", ["@where@"], "where"),
        ("configuration", "a\x1b[31m", "pattern"),
        ("program", "../../bin/sh", "pattern"),
    ],
)
def test_a_server_declared_badly_is_refused(key, value, said):
    entry = config.load().servers["nginx"].model_dump() | {key: value}
    with pytest.raises(ValidationError, match=said):
        Declared.model_validate(entry)


def judged(answered, transfers, counts="all"):
    gates = []
    session = SimpleNamespace(require=lambda gate, ok, *rest, **_: gates.append((gate, ok)))
    delivery_check.require(session, answered, transfers, counts)
    return gates


def test_each_whole_answer_must_stand_in_the_log_with_its_bytes():
    log = [Answered("/0/asset", 200, 110), Answered("/0/asset", 200, 110), Answered("/1/asset", 200, 40)]
    whole = [("/0/asset", 110, 100, True), ("/0/asset", 110, 100, True)]
    assert judged(log, [*whole, ("/1/asset", 70, 60, False)]) == [("completeness", True), ("delivered", True)]
    thrice = judged(log, [*whole, ("/0/asset", 110, 100, True)])
    assert thrice == [("completeness", False), ("delivered", False)], "three times, logged twice"
    assert judged(log, [("/1/asset", 110, 100, True)]) == [("completeness", True), ("delivered", False)]
    body = judged([Answered("/0/asset", 200, 100)], [("/0/asset", 110, 100, True)], "body")
    assert body == [("completeness", True), ("delivered", True)]


def test_an_answer_that_the_end_cut_off_must_stand_in_the_log_too():
    cut = [("/0/asset", 70, 60, False)]
    assert judged([Answered("/0/asset", 200, 90)], cut)[0] == ("completeness", True)
    assert judged([Answered("/1/asset", 200, 90)], cut)[0] == ("completeness", False)
    assert judged([], [("/0/asset", 0, 0, False)])[0] == ("completeness", True), (
        "nothing came yet: the server may not have seen it"
    )
