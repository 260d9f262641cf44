"""Cards that are taken and given back, and those that are refused. A veth pair stands for two cards and their wire."""

import subprocess
import uuid
from pathlib import Path

import pytest

from network import at, round_trips, run
from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Broken, Unsupported
from spindlemark.testbeds import network_cards, nic

NET = Path("/sys/class/net")


def mac(interface: str) -> str:
    return (NET / interface / "address").read_text().strip()


@pytest.fixture
def pair(private):
    """Two cards with a wire between them, down and unused."""
    names = [f"t{uuid.uuid4().hex[:8]}" for _ in range(2)]
    run(["ip", "link", "add", names[0], "type", "veth", "peer", "name", names[1]])
    yield names
    subprocess.run(["ip", "link", "delete", names[0]], check=False, stderr=subprocess.DEVNULL)


def declared(pair: list[str], **changes) -> config.NicTestbed:
    server, client = ({"interface": name, "mac": mac(name), "take": mac(name)} for name in pair)
    return config.NicTestbed(
        description="",
        kind="nic",
        storage=None,
        scheduler="none",
        source_directory="/dev/shm",
        busy_bound=0.1,
        server=server | changes,
        client=client,
    )


@pytest.fixture
def opened(pair):
    contexts, beds = [], []

    def enter(**setting):
        beds.append(declared(pair))
        contexts.append(nic.opened("test", beds[-1], 0, {"scheduler": "none"} | setting, run))
        return contexts[-1].__enter__()

    yield enter
    for context in contexts:
        context.gen.close()
    for bed in 2 * beds[:1]:
        nic.clean("test", bed)


def test_two_cards_are_taken_and_given_back_as_they_were(opened, pair):
    bed = declared(pair)
    run(["ip", "link", "set", "dev", pair[0], "mtu", "2000", "txqueuelen", "77"])
    run(["ethtool", "-K", pair[1], "gso", "off"])
    before = [network_cards._present(card) for card in (bed.server, bed.client)]
    one = opened(mtu="9000", offloads="off", link_rate="100-mbit")
    assert not any((NET / name).exists() for name in pair), "no longer this machine's"
    assert max(round_trips(one, 5)) < 30 and one.wire.kind == "nic"
    assert at(one, one.client, "ip", "route", "get", "192.0.2.1").exit_code != 0
    facts = one.facts()
    assert facts["link.kind"] == "nic" and facts["link.server.driver"] is None and "link.client.eee" in facts
    assert bed.server.mac not in str(facts), "an address names the machine"
    nic.clean("test", bed)
    assert [network_cards._present(card) for card in (bed.server, bed.client)] == before
    assert all(network_cards.problem(card) is None for card in (bed.server, bed.client)), (
        "down, without address, as before"
    )


def test_cards_come_back_when_the_repetition_fails(opened, pair):
    bed, one = declared(pair), opened()
    at(one, one.server, "ip", "link", "set", one.server.interface, "down")
    with pytest.raises(Broken, match="went down"):
        one.facts()
    nic.clean("test", bed)
    assert [mac(name) for name in pair] == [bed.server.mac, bed.client.mac]


def test_energy_efficient_ethernet_is_unsupported_where_a_card_has_none(opened, pair):
    with pytest.raises(Unsupported, match=f"{pair[0]} cannot turn energy efficient Ethernet on: .*"):
        opened(eee="on")


def test_packets_larger_than_a_card_takes_are_unsupported_before_it_is_touched(opened, pair, monkeypatch):
    monkeypatch.setattr(network_cards, "largest_mtu", lambda card: 9000)
    with pytest.raises(Unsupported, match=f"{pair[0]} accepts packets of 9000 bytes at most, and 16348 were requested"):
        opened(mtu="16348")
    monkeypatch.undo()
    assert network_cards.largest_mtu(declared(pair).server) == 65535 and mac(pair[0])


def test_delay_between_real_cards_needs_netem(opened):
    try:
        one = opened(delay="10-ms")
        assert min(round_trips(one, 3)) >= 0.02
    except Unsupported as unsupported:
        assert "no netem" in unsupported.reason  # noqa: PT017  # the kernel decides which of the two holds


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["ip", "address", "add", "192.0.2.7/32", "dev", "{0}"], "it has the address 192.0.2.7"),
        (["ip", "link", "set", "dev", "{0}", "up"], "it is up|it has the address fe80|a route leads through it"),
        (["ip", "link", "add", "{0}br", "type", "bridge"], "it is part of another device of this machine"),
        (
            ["ip", "link", "add", "link", "{0}", "name", "{0}v", "type", "macvlan"],
            "another device of this machine uses it",
        ),
    ],
)
def test_a_card_that_anything_uses_is_refused_and_untouched(opened, pair, words, reason):
    run([word.format(*pair) for word in words])
    if "bridge" in words:
        run(["ip", "link", "set", "dev", pair[0], "master", f"{pair[0]}br"])
    bed = declared(pair)
    before = [network_cards._present(card) for card in (bed.server, bed.client)]
    try:
        with pytest.raises(
            UserError, match=f"test.yaml: server: {pair[0]} is refused: ({reason}).*; nothing was changed"
        ):
            opened()
        assert [network_cards._present(card) for card in (bed.server, bed.client)] == before
    finally:
        for made in (f"{pair[0]}br", f"{pair[0]}v"):
            subprocess.run(["ip", "link", "delete", made], check=False, stderr=subprocess.DEVNULL)


def test_a_card_with_a_route_is_refused(pair):
    run(["ip", "link", "set", "dev", pair[0], "addrgenmode", "none"])
    run(["ip", "link", "set", "dev", pair[0], "up"])
    run(["ip", "route", "add", "203.0.113.0/24", "dev", pair[0]])
    assert network_cards.problem(declared(pair).server) == "a route leads through it: 203.0.113.0/24"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"take": ""}, "the user did not consent to its use"),
        ({"take": "00:11:22:33:44:55"}, "the user did not consent"),
        ({"mac": "00:11:22:33:44:55"}, ".*: it is another card"),
        ({"interface": "nosuchcard"}, "there is no such card"),
        ({"interface": "lo"}, "it is not an Ethernet card"),
    ],
)
def test_another_card_than_the_one_that_was_given_is_refused(pair, changes, reason):
    with pytest.raises(UserError, match=f"server: .* is refused: {reason}"):
        network_cards.require("test", declared(pair, **changes))


def test_the_card_of_this_machines_own_network_is_refused(pair):
    used = [
        entry.name
        for entry in NET.iterdir()
        if (entry / "type").read_text().strip() == "1" and "up" in (entry / "operstate").read_text()
    ]
    if not used:
        pytest.skip("this machine has no card that is up")
    for name in used:
        assert network_cards.problem(config.testbeds.Card(interface=name, mac=mac(name), take=mac(name))) is not None


@pytest.mark.parametrize("name", ["../x", "-all", "a b", "x;reboot", "", "abcdefghijklmnop", "a/b", "a\n"])
def test_a_name_that_is_none_never_reaches_a_command(name):
    with pytest.raises(ValueError, match="interface"):
        config.testbeds.Card(interface=name, mac="00:11:22:33:44:55", take="")


def test_a_card_that_does_not_come_back_is_told_again(private, monkeypatch):
    from spindlemark.core import private_files as kept
    from spindlemark.testbeds import retry

    monkeypatch.setattr(retry, "SECONDS", 0.1)
    kept.write_note("cards-test", {"nosuchcard": {"mac": "00:11:22:33:44:55"}})
    try:
        for _ in range(2):
            with pytest.raises(UserError, match="nosuchcard: the card has not come back"):
                network_cards.restore("test")
    finally:
        kept.remove_note("cards-test")
