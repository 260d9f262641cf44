"""Family `network_share`: the speed of a disk through a network share, by protocol, and its processor time and network overhead.

Study 002 ran CrystalDiskMark over the network, with and without jumbo frames. Here its loads (harness/fio_loads.py) go
through a share over a link, each protocol by the client that is at hand:

- `nbd`: nbdkit on the file, and fio's own engine for it;
- `smb`: Samba without rights, and its library, libsmbclient, which media players use;
- `nfs`: ganesha, a server that needs no kernel's, by NFS 4.0, and a small client of our own (nfs.py says why);
- `webdav`: nginx, and ranges over kept connections;
- `local`: the same loads on the server itself. The network overhead is the ratio to it.

What was decided, and why:

- One file, stored through the share itself. Every load begins on cold caches and asks for each place once at most, so
  that what it reads comes from the disk, as the device's own counter has to say (cold_proof); packets that were sent from
  the page cache can hold a megabyte of it beyond a dropping of caches: that is asked for and subtracted. A load ends when
  its time is over or the file was asked for once.
- What is written counts when the server's disk has it: the rate is bytes over the time of the load and of the sync of
  the server's filesystem after it. No client's own flush would be the same for all.
- Requests in flight together are one connection's where the client can (nbd), and those of as many connections
  with other clients. 512 at a time only fio has; WebDAV writes into no file's middle, and each request to write is a file of its
  own there. What a client cannot do is not recorded, and the environment says why (absent.<metric>).
- Processor time is that of user and system on each side while a load runs, from the first request to the last answer (of
  nbdkit from the connection on); interrupts count where they strike, so only the sum of both sides is one of the share
  alone. Kernel threads, and on the server's side the sync, are not counted.
- Bytes on the wire are counted by both cards. With offloads one header goes before up to 64 KiB, since no real card cuts
  the packet; so they are near a real wire's only with offloads off. TCP sends a segment again when it waits too long for a
  busy processor's answer, which is chance: such segments are reported separately (<way>_sent_again_count) and taken off, each
  as a full packet.
- Content: what was stored is compared with the server's file, and the server's file, once loads have written to it,
  with what is fetched. The server's own page cache is used, as it is by default.
"""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from pydantic import Field

from spindlemark.core.errors import ProfileError, UserError
from spindlemark.core.limits import Seconds, Size
from spindlemark.core.metric import OF_MANY, Metric
from spindlemark.core.outcome import Unsupported
from spindlemark.core.process.tools import present
from spindlemark.core.record import Closed
from spindlemark.families.factors import volume
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.factors.network_settings import EEE, LINK_RATE, MTU, OFFLOADS
from spindlemark.families.factors.scheduler import SCHEDULER
from spindlemark.families.family import Family
from spindlemark.families.network_share import (
    editing_metrics,
    editing_tasks,
    share_access,
    share_recipes,
    share_servers,
    smb,
)
from spindlemark.families.network_share.protocol_factor import PROTOCOL
from spindlemark.families.network_share.share_access import LOCAL, User
from spindlemark.families.network_share.share_client import Took
from spindlemark.families.shared import media
from spindlemark.harness import fill_check, fio
from spindlemark.harness.fio_loads import DIRECTIONS, LOADS, title, what
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds.background import Background
from spindlemark.testbeds.link_watch import Carried
from spindlemark.testbeds.page_cache import resident
from spindlemark.testbeds.shaping import FRAME

METHOD = 3
FACTORS = (PROTOCOL, FILESYSTEM, SCHEDULER, MTU, OFFLOADS, LINK_RATE, EEE)
TOOLS = {fio.PACKAGE: (fio.TOOL, "--version")}
UNPACKED = ("smbd", "ganesha.nfsd", "nginx")

COSTED = "seq1m_q8t1"  # the load whose work is reported: the one that fills a network
ALL, SOME = "all", "in-order"
CHOICES = {ALL: tuple(LOADS), SOME: (COSTED,)}
GB, MIB = 1e9, 1 << 20
_WHERE = "config/experiments/network_share.yaml: sets: factors"
# Longest time of one command: as if a share moved 1 MB/s. A hung server is what it must find.
_START_SECONDS, _SLOWEST_BYTES = 60.0, 1e6


def _metrics() -> dict[str, Metric]:
    found = {
        f"{load}_{way}_bytes_per_second": Metric(
            title=title(load, way), unit="B/s", step=f"{load}_{way}", better="higher", description=what(load, way)
        )
        for way in DIRECTIONS
        for load in LOADS
    }
    for way in DIRECTIONS:
        cost = f"for 10⁹ bytes: {what(COSTED, way)}"
        for side, words in (("", "both sides"), ("client_", "client"), ("server_", "server")):
            found[f"{way}_gb_{side}cpu_seconds"] = Metric(
                title=f"Processor time to {way} 1 GB, {words}",
                unit="s",
                step=f"{way}_gb_{side}cpu",
                work="cpu",
                better="lower",
                shortest_seconds=OF_MANY,
                description=f"user and system time, {words}, {cost}",
            )
        found[f"{way}_wire_ratio"] = Metric(
            title=f"Bytes on the wire per byte to {way}",
            unit="1",
            kind="ratio",
            better="lower",
            description="bytes that both cards sent, headers included and without segments that TCP sent again, over those asked "
            f"for: {what(COSTED, way)}",
        )
        found[f"{way}_sent_again_count"] = Metric(
            title=f"Segments sent again per GB to {way}",
            unit="1",
            kind="count",
            better="lower",
            description=f"TCP segments that either side sent once more, {cost}",
            by_chance=(
                "TCP sends again when a busy processor is late to answer, which is chance: one repetition has none, the next a thousand"
            ),
        )
    return found | editing_metrics.METRICS


METRICS = _metrics()


class Scale(Closed):
    """How large the file is, and how long each load lasts."""

    file_size: Size = Field(gt=0, description="bytes of the shared file")
    seconds: Seconds = Field(gt=0, description="longest time of each load")
    task_seconds: Seconds = Field(gt=0, description="length of each film that is played or recorded")
    scrubs: int = Field(ge=2, le=10_000, description="random reads of 1 MiB when a film is scrubbed")
    pictures: int = Field(ge=1, le=100_000, description="pictures in the folder that is opened")


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """Loads, size and time; raises UserError for what is not known, or does not fit `size` bytes."""
    for key in chosen.keys() - {"loads"}:
        raise UserError(f"{_WHERE}: {key}: the family has no such factor", "there is: loads")
    loads = chosen.get("loads", ALL)
    if loads not in CHOICES:
        raise UserError(f"{_WHERE}: loads: there is no {loads!r}", f"use {', '.join(CHOICES)}")
    largest = max(load.block_bytes * load.threads for load in LOADS.values())
    if scale.file_size % largest:
        raise ProfileError(f"families.network_share.scale.file_size is not in whole {largest >> 20} MiB", "round it")
    found = {"loads": loads, "file_bytes": int(scale.file_size), "seconds": scale.seconds}
    needed = 2 * scale.file_size
    if loads == ALL:
        given = (int(scale.file_size), scale.task_seconds)
        found["editing"] = editing_tasks.amounts(*given, scale.scrubs, scale.pictures)
        needed += editing_tasks.needed_bytes(*given, scale.pictures)
    fill_check.require_fit(needed, size, "its file, as much in pieces, and what editors store,", "network_share")
    return found


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed, and bytes moved: each load both ways, and the file stored and fetched."""
    loads, editing = 0.5 + 2 * len(CHOICES[factors["loads"]]) * factors["seconds"], factors.get("editing")
    played = (
        editing["seconds"] * (len(editing["play_mbit"]) + 2) + 5.0 if editing else 0.0
    )  # multicam and recording too
    return loads + played, 2.0 * factors["file_bytes"]


def recipe(settings: Mapping[str, str]) -> list[str]:
    """How to serve a folder with the protocol."""
    return share_recipes.recipe(settings.get("protocol.name", ""))


def steps(repetition: Repetition) -> None:
    """Serve a file, put the loads on it, and compare what was stored and fetched."""
    protocol, size = repetition.factors["protocol"]["name"], repetition.factors["file_bytes"]
    _require(repetition, protocol)
    volume.make(repetition, _START_SECONDS, cold=False)
    volume.mount(repetition, _START_SECONDS, cold=False)
    link = repetition.testbed
    place = share_servers.prepared(link.mount_point, link.server.address, size)
    limit = _START_SECONDS + size / _SLOWEST_BYTES
    with (
        media.scratch(Path(repetition.declared.source_directory)) as memory,
        _served(repetition, protocol, place) as server,
    ):
        user, file = User(repetition, protocol, place, size, server), memory / "file"
        stored = _random(file, size, repetition.spec.experiment.identity())
        with repetition.step("store", cold=False):
            user.store(file, limit)
            repetition.run(["sync", "-f", link.mount_point], limit)
        _require_same(repetition, stored, _digest(place.data), "of the file that was stored and of the server's")
        for way in DIRECTIONS:
            for load in CHOICES[repetition.factors["loads"]]:
                _measure(repetition, user, load, way, limit)
        if editing := repetition.factors.get("editing"):
            editing_tasks.prepare(place, editing["pictures"])
            editing_tasks.Editor(repetition, protocol, place, server, limit).measure()
        file.unlink()
        with repetition.step("fetch"):
            user.fetch(file, limit)
        _require_same(repetition, _digest(place.data), _digest(file), "of the server's file and of the fetched file")
        fill_check.require_space(repetition)
    volume.unmount(repetition, limit)


def _require(repetition: Repetition, protocol: str) -> None:
    volume.require(repetition)
    repetition.need_tools([fio.TOOL], fio.PACKAGE)
    if not hasattr(repetition.testbed, "server"):
        raise Unsupported("a share needs a network: a testbed of kind link or nic")
    if protocol in share_servers.SERVERS:
        repetition.need_tools([share_servers.SERVERS[protocol].program], share_servers.SERVERS[protocol].package)
    if protocol == share_access.NBD:
        repetition.need_tools([share_access.COPIER], share_access.COPIER_PACKAGE)
    if protocol == "smb" and not present(smb.LIBRARY):
        raise Unsupported(f"{smb.LIBRARY} is not installed: the package libsmbclient brings it")
    if protocol == "nfs" and not share_servers.MOUNTS.exists():
        raise Unsupported(
            f"there is no {share_servers.MOUNTS}, in which the NFS server looks for filesystems: make it with "
            f"ln -s ../proc/self/mounts {share_servers.MOUNTS}"
        )


@contextmanager
def _served(repetition: Repetition, protocol: str, place: share_servers.Place) -> Iterator[Background | None]:
    with nullcontext() if protocol == LOCAL else share_servers.serving(repetition, protocol, place) as server:
        yield server


def _measure(repetition: Repetition, user: User, load: str, way: str, limit: float) -> None:
    """One load as a step, with its gates and metrics."""
    name = f"{load}_{way}_bytes_per_second"
    if reason := share_access.can(user.protocol, load, way):
        repetition.note({f"absent.{name}": reason})
        return
    carried = repetition.testbed.carried()
    with repetition.step(f"{load}_{way}") as step:
        held = resident(user.place.data) if way == "read" else 0
        took = user.load(load, way, repetition.factors["seconds"], limit)
        written = (
            repetition.run(["sync", "-f", repetition.testbed.mount_point], limit).seconds if way == "write" else 0.0
        )
    sent = repetition.testbed.carried().since(carried)
    moved, word = (step.read_bytes, "read") if way == "read" else (step.written_bytes, "wrote")
    repetition.require(
        "cold_proof",
        moved >= took.bytes - held > 0,
        moved,
        took.bytes - held,
        "B",
        f"bytes that the server's device {word}, from its own counter, against those of the load"
        + " that no packet still held in memory" * bool(held),
    )
    if user.server:
        payload = sent.server_bytes if way == "read" else sent.client_bytes
        repetition.require(
            "delivered",
            payload >= took.bytes,
            payload,
            took.bytes,
            "B",
            "bytes that the sender's card sent, from its own counter, against those of the load",
        )
    repetition.measure(name, took.bytes / (took.seconds + written))
    if load == COSTED:
        _measure_work(repetition, took, sent if user.server else None, way)


def _measure_work(repetition: Repetition, took: Took, sent: Carried | None, way: str) -> None:
    share, server = took.bytes / GB, took.server_seconds or 0.0
    repetition.measure(f"{way}_gb_cpu_seconds", (took.cpu_seconds + server) / share)
    repetition.measure(f"{way}_gb_client_cpu_seconds", took.cpu_seconds / share)
    if sent is not None:  # on the server itself there is no other side, and no wire
        repetition.measure(f"{way}_gb_server_cpu_seconds", server / share)
        packet = int(repetition.testbed.settings["mtu"]) + FRAME  # a segment of a bulk transfer fills its packet
        repetition.measure(f"{way}_wire_ratio", (sent.bytes - sent.retransmits * packet) / took.bytes)
        repetition.measure(f"{way}_sent_again_count", sent.retransmits / share)


def _random(file: Path, size: int, seed: str) -> str:
    """Write a file that nothing can shrink, the same for each repetition; its SHA-256."""
    whole, number = hashlib.sha256(), 0
    with file.open("wb") as out:
        while number * MIB < size:
            piece = hashlib.shake_128(f"{seed}/{number}".encode()).digest(MIB)
            whole.update(piece)
            out.write(piece)
            number += 1
    return whole.hexdigest()


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _require_same(repetition: Repetition, one: str, other: str, what_of: str) -> None:
    repetition.require("content", one == other, float(one != other), 0.0, "1", f"difference of the SHA-256 {what_of}")


FAMILY = Family(
    method=METHOD,
    metrics=METRICS,
    steps=steps,
    expected=expected,
    shared=FACTORS,
    scale=Scale,
    factors=factors,
    tools=TOOLS,
    unpacked=UNPACKED,
    recipe=recipe,
)
