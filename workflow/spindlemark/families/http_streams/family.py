"""Family `http_streams`: the number of clients that a web server serves from a disk over a network without a stall.

Study 004 let a person look at one screen and a frame counter while more and more streams of 25 Mbit/s were fetched by
HTTP. Here every client has a playback buffer (playback_buffer.py) and an asset of its own, and a stall is an empty buffer.
What was decided, and why:

- A number of clients holds when each saw the whole asset without a stall and no buffer went down in its second half
  (http_trial.py says how far): a buffer holds at most a tenth of the asset, since a large one hides a shortage.
- A load curve (load_curve.py) has trials from few clients to too many, and a ramp (ramp.py) adds clients and removes them
  again within one trial. Other experiments only search for the largest number. Both estimate it in the same way.
- All clients begin at once, on cold caches, which is the hardest moment: all buffers are filled together.
- The device is held to its figures from when the assets are on it: the speed of writing them does not count. So ageing
  (ageing.py) happens at full speed too.
- Goodput is what more clients get together than the device could feed even by its bytes alone, or a declared number of
  them. It repeats best, and the search for the largest number begins where it points to.
- Processor seconds of the server and bytes that the device read for each byte sent are those of that overload. Where all of
  them are fed, as by a fast device, there was no overload: then none of the three is recorded, and the environment says why.
- The environment's `viewers.limited_by` says what the smallest number that failed kept at its limit (http_trial.py).
- The server runs without rights, answers in its own network namespace only, and lists no folder. Its configuration
  is a factor: a changed line needs new measurements.
- `thumbnails` are small assets that one more client fetches at a fixed pace meanwhile. Their delay is a result; whether a number
  of clients holds is decided by the clients alone.
- The clients' program must leave half of a processor idle and be on time, and every byte that they got must be in
  the server's log: then what is measured is the server, the filesystem and the disk.
"""

import json
import shlex
from collections.abc import Mapping
from math import ceil, log2
from typing import Any

from pydantic import Field

from spindlemark import config
from spindlemark.core.declared import Caveat
from spindlemark.core.errors import ProfileError, UserError
from spindlemark.core.outcome import Unsupported
from spindlemark.families.factors import volume
from spindlemark.families.factors.device import DEVICE
from spindlemark.families.factors.filesystem import FILESYSTEM
from spindlemark.families.factors.readahead import READAHEAD
from spindlemark.families.factors.server import SERVER
from spindlemark.families.family import Family
from spindlemark.families.http_streams import (
    ageing,
    delivery_check,
    http_factors,
    http_results,
    load_curve,
    ramp,
    sockets,
    web_servers,
)
from spindlemark.families.http_streams.ageing import Ageing
from spindlemark.families.http_streams.assets import Assets
from spindlemark.families.http_streams.http_metrics import METRICS
from spindlemark.families.http_streams.http_trial import Trials
from spindlemark.families.shared.streams import pieces, stream_rate
from spindlemark.families.shared.streams.search import Found
from spindlemark.families.shared.unprivileged import as_unprivileged
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds.background import background

METHOD = 4
FACTORS = (SERVER, FILESYSTEM, READAHEAD, DEVICE)
UNPACKED = ("nginx", "caddy", "apache2", "lighttpd")

CAVEATS = (
    Caveat(
        text="Each client played {film:g} s of video with a playback buffer of {buffer:g} s. Players usually buffer some "
        "seconds: a shorter buffer runs empty sooner, and longer playback shows more reliably which clients are served without "
        "interruption. Longer profiles have both.",
        values={"film": "viewers.film_seconds", "buffer": "viewers.buffer_seconds"},
    ),
)
UNITS = {  # columns of the trials and of the ramp, see trial_result.py and ramp.py
    "server_resident_bytes": "B",
    "page_cache_bytes": "B",
    "device_bytes_per_second": "B/s",
    "network_bytes_per_second": "B/s",
    "lowest_fill_seconds": "s",
    "startup_p99_seconds": "s",
    "thumbnail_median_seconds": "s",
    "thumbnail_p99_seconds": "s",
    "seconds": "s",
    "goodput_bytes_per_second": "B/s",
    "carried_bytes": "B",
    "device_bytes": "B",
    "received_bytes": "B",
    "client_cpu_seconds": "s",
    "recordings_late_seconds": "s",
    "server_cpu_seconds": "s",
    "startup_median_seconds": "s",
}

_LIMIT_SECONDS = 900.0
_OVERLOAD = 1.5
_OVERHEAD_SECONDS = 0.7  # of a trial: to start the client, to drop caches, and until the server is quiet
_WHERE = "config/experiments/http_streams.yaml"
_KEY = "families.http_streams.scale"
_OWN = ("rate", "film", "delivery", "recordings", "thumbnails", "age", "load")
_USUAL = "usual"  # length of an asset: the profile's


class Scale(http_factors.TrialSettings):
    """How much a profile measures."""

    curve: http_factors.Curve | None = Field(default=None, description="of experiments with load: curve")
    ageing: Ageing | None = Field(default=None, description="of experiments with age: aged")


def factors(chosen: dict[str, str], scale: Scale, size: int) -> dict[str, Any]:
    """The factors `rate`, `delivery`, `recordings`, `thumbnails`, `viewers`, `age` and `load` on a device of `size` bytes.

    `film`, where a set has it, is the length of another asset than the profile's. Raises UserError where one is unknown,
    or not even one asset fits.
    """
    unknown = chosen.keys() - set(_OWN)
    if unknown:
        raise UserError(
            f"{_WHERE}: unknown factor {sorted(unknown)[0]}",
            f"there are: {', '.join([*(each.name for each in FACTORS), *_OWN])}",
        )
    speed = stream_rate.resolve(chosen.get("rate", "25-mbit"), _WHERE)
    settings = http_factors.as_long(scale, chosen["film"], _WHERE) if "film" in chosen else scale
    delivery, concurrent = (
        chosen.get("delivery", http_factors.PROGRESSIVE),
        chosen.get("recordings", http_factors.NO_RECORDINGS),
    )
    found = {"rate": speed, "film": chosen.get("film", _USUAL)} | http_factors.factors(
        settings, speed, delivery, concurrent, _WHERE
    )
    found["thumbnails"] = http_factors.thumbnails_per_second(
        chosen.get("thumbnails", http_factors.NO_THUMBNAILS), _WHERE
    )
    found["age"] = ageing.factor(chosen.get("age", ageing.FRESH), scale.ageing, size, _WHERE)
    found["load"] = http_factors.load(chosen.get("load", http_factors.SEARCH), scale.curve, _WHERE)
    wanted = http_factors.demand(found)
    asset_bytes, room = wanted.film_bytes, ageing.room_bytes(found["age"], size)
    fitting = (room - wanted.concurrent_bytes) // asset_bytes
    if fitting < 1:
        raise ProfileError(
            f"{_KEY}.film_seconds: an asset of {asset_bytes} bytes and {wanted.recordings} recordings does not "
            f"fit {room} of {size} bytes",
            "lower film_seconds, or raise image_size",
        )
    found["viewers"] |= {key: min(found["viewers"][key], fitting) for key in ("most_viewers", "overload_viewers")}
    return found


def expected(factors: dict[str, Any], size: int) -> tuple[float, float]:
    """Seconds at any speed, and bytes moved: the overload and all other trials, and the assets and recordings."""
    wanted, load = http_factors.demand(factors), factors["load"]
    overload = _overload_viewers(factors.get("device", {}), wanted)
    most = ceil(overload / _OVERLOAD)
    halvings = log2(1 / max(wanted.resolution, 1 / most))
    if load["name"] == http_factors.SEARCH:
        trials, ramp_seconds = 2 + 0.7 * halvings, 0.0
    else:
        points = load["points"]
        trials = 1 + (most + 1 if most <= points else points + max(1.0, halvings - log2(points)))
        ramp_seconds = ramp.schedule(most, load["ramp_step_seconds"], wanted.marks[2]).seconds + _OVERHEAD_SECONDS
    moved = overload * wanted.film_bytes + ageing.moved_bytes(factors["age"], size)
    return trials * (wanted.limit_seconds + _OVERHEAD_SECONDS) + ramp_seconds, moved


def recipe(settings: Mapping[str, str]) -> list[str]:
    """The readahead of the disk, the server's configuration, whole, and what starts it at port 80 with no other right."""
    ahead, text = settings.get("readahead", "kernel"), web_servers.usual(settings.get("server.configuration", ""))
    lines = [f"echo {ahead} > /sys/block/DISK/queue/read_ahead_kb"] if ahead.isdigit() else []
    if not text:
        return lines
    folder = web_servers.usual("@folder@")
    words = [settings.get("server.program", ""), *json.loads(settings.get("server.arguments", "[]"))]
    return [
        *lines,
        f"install -d -o {web_servers.USER} {folder}",
        f"cat > {folder}/configuration <<'END'",
        *text.splitlines(),
        "END",
        shlex.join([*as_unprivileged(["net_bind_service"]), *(web_servers.usual(word) for word in words)]),
    ]


def steps(repetition: Repetition) -> None:
    """Find the largest number of clients of one server on one filesystem and device."""
    link = repetition.testbed
    if link.disk is None:
        raise Unsupported(f"testbed {repetition.spec.experiment.testbed} has no storage: assets come from a disk")
    volume.require(repetition)
    _require_program(repetition)
    repetition.need_tools([pieces.TOOL], pieces.PACKAGE)
    wanted = http_factors.demand(repetition.factors)
    too_many = _overload_viewers(repetition.factors["device"], wanted)
    assets = Assets(repetition, wanted)
    with link.at_full_speed():
        volume.make(repetition, _LIMIT_SECONDS, cold=False)
        volume.mount(repetition, _LIMIT_SECONDS, cold=False)
        ageing.prepare(repetition, wanted.most_viewers * wanted.film_bytes + wanted.concurrent_bytes)
        assets.need(too_many)
    count = pieces.count(repetition, assets.files(), "pieces", _LIMIT_SECONDS)
    per_100_mb = count / (assets.count * wanted.film_bytes / pieces.HUNDRED_MB)
    with web_servers.prepared(repetition.factors["server"], assets.folder, link.server.address) as server:
        _require_configuration(repetition, server)
        words = link.within(link.server, server.words(), web_servers.USER)
        with background(repetition, words, name="server", listening=sockets.within(link.server)) as running:
            trials = Trials(repetition, wanted, assets, running)
            overload = trials.trial(too_many, "overload")
            found = _find(repetition.factors["load"], trials, round(overload.goodput / wanted.bytes_per_second))
        repetition.note({"viewers.limited_by": trials.limit(found)})
        delivery_check.require(
            repetition, server.answered(), trials.transfers, repetition.factors["server"]["log"]["counts"]
        )
    repetition.measure("film_pieces_per_100_mb", per_100_mb)
    repetition.measure("viewers_estimated_count", load_curve.estimate(found, trials.seen, wanted.start_seconds))
    http_results.measure(repetition, overload, found, trials.seen)
    volume.unmount(repetition, _LIMIT_SECONDS)


def _find(load: dict[str, Any], trials: Trials, guess: int) -> Found:
    """The largest number that holds, by a search, or by a load curve and then the ramp up to that number."""
    if load["name"] == http_factors.SEARCH:
        return trials.largest(guess)
    found = trials.curve(guess, load["points"])
    if found.sustained:
        trials.ramp(found.sustained, load["ramp_step_seconds"])
    return found


def _overload_viewers(device: Mapping[str, Any], wanted: http_factors.Demand) -> int:
    """Clients of the overload: half as many again as the device's bytes per second would feed, or as many as declared."""
    limit = device.get("limits", {}).get("read")
    enough = ceil(_OVERLOAD * limit / wanted.bytes_per_second) if limit else wanted.overload_viewers
    return min(enough, wanted.overload_viewers)


def _require_program(repetition: Repetition) -> None:
    """Raises Unsupported, saying how the server is brought here."""
    name = repetition.factors["server"]["name"]
    declared = config.choose(repetition.registry.servers, name, "server", "config/servers.yaml")
    if not web_servers.is_here(declared.program):
        raise Unsupported(
            f"{declared.program} is not here: ./spindlemark run --family http_streams fetches the package "
            f"{declared.package} and unpacks it, without installing it"
        )


def _require_configuration(repetition: Repetition, server: web_servers.Server) -> None:
    """Raises Unsupported with the program's own words where it lacks what its configuration asks for."""
    if repetition.factors["server"]["check"] is None:
        return
    with repetition.step("configuration", cold=False):
        done = repetition.run(server.words("check"), 60, accept=range(256))
    if done.exit_code:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise Unsupported(f"{repetition.factors['server']['name']}: {lines[0] if lines else 'it printed nothing'}")


FAMILY = Family(
    method=METHOD,
    metrics=METRICS,
    steps=steps,
    expected=expected,
    shared=FACTORS,
    scale=Scale,
    factors=factors,
    unpacked=UNPACKED,
    recipe=recipe,
    caveats=CAVEATS,
    units=UNITS,
)
