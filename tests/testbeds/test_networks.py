"""Networks as they are declared: factors, disks below them, what doctor and pages say, and the words for the kernel."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from spindlemark import config
from spindlemark.analysis.findings import caveats
from spindlemark.cli.doctor import network
from spindlemark.config.links import Conditions, conditions
from spindlemark.core import paths
from spindlemark.core.errors import UserError
from spindlemark.families import registry as families
from spindlemark.families import shared_factors as factors
from spindlemark.families.factors.device import DEVICE
from spindlemark.families.factors.factor import Choice
from spindlemark.families.factors.network_settings import CONGESTION, DELAY, EEE, JITTER, LINK_RATE, LOSS, MTU, OFFLOADS
from spindlemark.families.factors.readahead import READAHEAD
from spindlemark.families.family import Family
from spindlemark.measure import experiments
from spindlemark.site import testbed_labels as pages
from spindlemark.testbeds import disk_model, link, shaping

FACTORS = (MTU, OFFLOADS, LINK_RATE, DELAY, JITTER, LOSS, CONGESTION, EEE, READAHEAD, DEVICE)
NAMES = tuple(factor.name for factor in FACTORS)
DEFAULTS = {
    "mtu": "1500",
    "offloads": "on",
    "link_rate": "unlimited",
    "delay": "none",
    "jitter": "none",
    "loss": "none",
    "congestion": "kernel",
    "eee": "kernel",
    "readahead": "kernel",
    "device": {"name": "unlimited", "limits": {}},
}
BED = {"description": "", "scheduler": "none", "source_directory": "/dev/shm", "busy_bound": 0.1}


@pytest.fixture(scope="module")
def registry():
    return config.load()


@pytest.fixture
def family(monkeypatch):
    made = Family(method=1, metrics={}, steps=lambda _: None, expected=lambda *_: (0.0, 0.0), shared=FACTORS)
    monkeypatch.setattr(families, "get", lambda name: made)
    return "serving"


def choice(registry, testbed: str, **chosen: str) -> Choice:
    return Choice(chosen, registry, registry.profiles["quick"], registry.testbeds[testbed], "here.yaml")


def test_what_a_set_does_not_name_is_the_testbeds_own(registry, family):
    resolved = factors.resolve(family, choice(registry, "link-ram"))
    assert resolved == DEFAULTS
    opening = factors.opening(family, resolved, registry.testbeds["link-ram"])
    assert opening == {"scheduler": "none"} | {name: DEFAULTS[name] for name in NAMES[:-1]}
    slow = registry.testbeds["link"].model_copy(update={"delay": "5-ms"})
    beds = registry.model_copy(update={"testbeds": {"link": slow}})
    assert factors.resolve(family, choice(beds, "link"))["delay"] == "5-ms"


def test_each_value_opens_the_testbed(registry, family):
    chosen = {
        "mtu": "16348",
        "offloads": "off",
        "link_rate": "2.5-gbit",
        "delay": "10-ms",
        "jitter": "2-ms",
        "loss": "0.1-percent",
        "congestion": "bbr",
        "eee": "off",
        "readahead": "128",
        "device": "iVDR",
    }
    resolved = factors.resolve(family, choice(registry, "link-ram", **chosen))
    assert resolved["device"] == {"name": "iVDR", "limits": {"read": 13750000, "write": 13750000}}
    opening = factors.opening(family, resolved, registry.testbeds["link-ram"])
    assert opening["limits"] == {"read": 13750000, "write": 13750000} and opening["readahead"] == "128"
    assert conditions(opening) == Conditions(2_500_000_000, 0.01, 0.002, 0.001)


@pytest.mark.parametrize(
    ("testbed", "name", "value", "told"),
    [
        ("loop", "mtu", "1500", "mtu: is a setting of networks, and this testbed is of kind loop"),
        ("link", "mtu", "15", "here.yaml: mtu: "),
        ("link", "mtu", "70000", "mtu: 70000 is not between 576 and 65535"),
        ("link", "offloads", "maybe", "here.yaml: offloads: "),
        ("link", "link_rate", "1-gbit;reboot", "here.yaml: link_rate: "),
        ("link", "link_rate", "0-mbit", "link_rate: 0-mbit has no effect: write unlimited"),
        ("link", "delay", "10", "here.yaml: delay: "),
        ("link", "delay", "0-ms", "delay: 0-ms has no effect: write none"),
        ("link", "loss", "100-percent", "here.yaml: loss: "),
        ("link", "congestion", "$(id)", "here.yaml: congestion: "),
        ("link", "readahead", "128", "readahead: needs a network with a disk"),
        ("link", "device", "iVDR", "device: needs a network with a disk"),
        ("link-ram", "readahead", "lots", "readahead: 'lots' is not a number of KiB"),
        ("link-ram", "device", "ivdr", "no device is called 'ivdr'"),
        ("link-ram", "device", "ram", "no device is called 'ram'"),
    ],
)
def test_a_bad_value_is_told(registry, family, testbed, name, value, told):
    with pytest.raises(UserError) as caught:
        factors.resolve(family, choice(registry, testbed, **{name: value}))
    assert told in caught.value.problem and caught.value.remedy


def test_a_reference_device_is_a_device_of_a_network_too(registry, family):
    found = {
        name: factors.resolve(family, choice(registry, "link-ram", device=name))["device"]
        for name in ("sata-ssd", "hdd")
    }
    assert found["sata-ssd"]["limits"] == registry.testbeds["sata-ssd"].throttle.limits()
    assert not found["hdd"]["limits"] and found["hdd"]["model"] == disk_model.facts(registry.testbeds["hdd"].disk)


def test_a_disk_that_is_held_already_is_not_held_anew(registry, family):
    content = registry.model_dump()
    content["testbeds"]["link-ram"]["storage"] = "hdd"
    with pytest.raises(UserError, match="device: the storage of this testbed has its own limits"):
        factors.resolve(family, choice(config.Registry.model_validate(content), "link-ram", device="iVDR"))


@pytest.mark.parametrize(
    ("storage", "told"),
    [
        ("rma", "storage: no testbed is called 'rma'"),
        ("vm", "testbed vm is of kind vm, which is not a disk of this machine"),
        ("link", "testbed link is of kind link, which is not a disk of this machine"),
    ],
)
def test_a_storage_that_is_none_is_told(registry, storage, told):
    content = registry.model_dump()
    content["testbeds"]["link-ram"]["storage"] = storage
    with pytest.raises(UserError, match=f"config/testbeds/link-ram.yaml: .*{told}|{told}"):
        config.Registry.model_validate(content)


def test_every_device_says_where_its_figures_come_from(registry):
    assert {"iVDR", "disk"} <= registry.devices.keys() and all(each.source for each in registry.devices.values())
    printed = float(
        next(
            line
            for line in (paths.ROOT / "data/reference/004/text-figures.csv").read_text().splitlines()
            if line.startswith("device-bandwidth-ivdr")
        ).split(",")[1]
    )
    assert registry.devices["iVDR"].read == printed * 1e6 / 8


def test_the_fingerprint_has_what_the_testbed_declares_and_its_disk(registry):
    plain, with_disk = (link.device_facts(registry.testbeds[name], 1 << 30) for name in ("link", "link-ram"))
    assert plain["storage"] is None and plain["bytes"] == 0 and plain["mtu"] == "1500"
    assert with_disk["storage"]["kind"] == "ram" and with_disk["bytes"] == 1 << 30
    slow = registry.testbeds["link"].model_copy(update={"delay": "5-ms"})
    assert link.device_facts(slow, 0) != plain
    told = Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text().strip()
    assert plain["congestion_used"] == told, "machines that send by another one are not alike"
    assert link.device_facts(slow.model_copy(update={"congestion": "cubic"}), 0)["congestion_used"] == "cubic"


def test_netem_stands_above_the_bucket():
    wanted = Conditions(1_000_000_000, 0.01, 0.002, 0.001)
    netem, bucket = shaping.queue_commands("x", 1500, wanted, True)
    assert netem[2:] == [
        "replace",
        "dev",
        "x",
        "root",
        "handle",
        "1:",
        "netem",
        "limit",
        "200000",
        "delay",
        "10000us",
        "2000us",
        "loss",
        "random",
        "0.1%",
    ]
    assert bucket[2:] == [
        "replace",
        "dev",
        "x",
        "parent",
        "1:1",
        "handle",
        "10:",
        "tbf",
        "rate",
        "1000000000bit",
        "burst",
        "250000",
        "latency",
        "50ms",
    ]
    [alone] = shaping.queue_commands("x", 1500, wanted, False)
    assert alone[5:9] == ["root", "handle", "2:", "tbf"]
    assert shaping.queue_commands("x", 1500, Conditions(), True) == [["tc", "qdisc", "delete", "dev", "x", "root"]]
    assert shaping.queue_commands("x", 1500, Conditions(loss=0.01), True)[1][2:] == [
        "delete",
        "dev",
        "x",
        "parent",
        "1:1",
    ]


def test_cards_are_two(registry):
    card = {"interface": "a", "mac": "00:11:22:33:44:55", "take": ""}
    with pytest.raises(ValidationError, match="use two cards"):
        config.NicTestbed(**BED, kind="nic", storage=None, server=card, client=card)


def test_every_page_of_a_link_says_what_it_cannot_tell():
    told = pages.mark({"device.kind": "link"})
    assert told == pages.VIRTUAL_NETWORK and pages.mark({"device.kind": "loop"}) == ""
    (note,) = caveats.of_testbed("link")
    assert all(words in note for words in ("no physical network", "processors"))
    assert pages.mark({"device.kind": "nic"}) == "" and "processors" in caveats.of_testbed("nic")[0]


def test_the_doctor_tells_what_a_kernel_lacks(registry, monkeypatch, tmp_path):
    assert {row.what for row in network.rows(registry)} >= {
        "network: link",
        "network: rates",
        "network: delay and loss",
    }
    monkeypatch.setattr(network, "_symbols", lambda: "")
    monkeypatch.setattr(network.kernel_modules, "modules", lambda folder: frozenset())
    for row in (
        network.link(),
        network.link(tmp_path / "none"),
        network.rates(),
        network.delay_and_loss(tmp_path / "none"),
    ):
        assert not row.ok and row.remedy
    monkeypatch.setattr(network.kernel_modules, "modules", lambda folder: frozenset(network.DRIVERS))
    assert network.link().ok and network.rates().ok and "netem" in network.delay_and_loss(tmp_path / "none").detail


def test_the_doctor_says_why_a_card_is_refused(registry):
    card = {"mac": "00:11:22:33:44:55", "take": "00:11:22:33:44:55"}
    bed = config.NicTestbed(
        **BED,
        kind="nic",
        storage=None,
        server=card | {"interface": "nosuchcard"},
        client={"interface": "other", "mac": "00:11:22:33:44:56", "take": ""},
    )
    told = network.rows(registry.model_copy(update={"testbeds": {"mine": bed}}))[-1]
    assert (told.what, told.ok) == ("network cards: mine", False) and "nosuchcard: there is no such card" in told.detail


@pytest.mark.parametrize(
    ("storage", "measured"),
    [
        ("ram", {"http_streams", "live_video", "network_share", "network_audio"}),
        (None, {"live_video", "network_audio"}),
    ],
)
def test_two_cards_measure_what_a_link_measures_and_no_family_of_disks(registry, storage, measured):
    """With a disk on the server's side as the link that has one; energy efficient Ethernet is asked of them alone."""
    card = {"interface": "nosuchcard", "mac": "00:11:22:33:44:55", "take": "00:11:22:33:44:55"}
    other = card | {"interface": "nosuchother", "mac": "00:11:22:33:44:56"}
    bed = config.NicTestbed(kind="nic", storage=storage, server=card, client=other, **BED)
    if storage:
        bed.set_disk(registry.testbeds[storage])
    beds = registry.model_copy(update={"testbeds": registry.testbeds | {"cards": bed}})
    found = [spec.experiment for spec in experiments.specs(beds, "quick", "cards")]
    assert {e.family for e in found} == measured and {e.testbed for e in found} == {"cards"}
    asked = {(e.factors["eee"], e.factors["mtu"]) for e in found if e.factors.get("eee", "kernel") != "kernel"}
    assert asked == ({(eee, mtu) for eee in ("on", "off") for mtu in ("1500", "9000")} if storage else set())
