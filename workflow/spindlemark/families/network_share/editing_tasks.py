"""What editors do on a share, each as a step: play, scrub, multicam, copy in a camera card, open a folder, record.

`editing_client` does it at the client's end of the link. Rates, card and folder are declared here and in the experiment's
factors; how much of them a profile measures is in `Scale`.
"""

import hashlib
import json
import os
from dataclasses import asdict, dataclass, replace
from typing import Any

from spindlemark.core.errors import ProfileError
from spindlemark.core.process import programs
from spindlemark.families.network_share.editing_client import Part, Report, block, frame_bytes, frames_of, report_of
from spindlemark.families.network_share.editing_metrics import (
    METRICS,
    MULTICAM_MBIT,
    MULTICAM_STREAMS,
    PLAYED_MBIT,
    RECORDED_MBIT,
)
from spindlemark.families.network_share.share_access import LOCAL, NBD, WEBDAV
from spindlemark.families.network_share.share_connection import PIECE
from spindlemark.families.network_share.share_names import CARD, PICTURES, PORT, RECORDING
from spindlemark.families.network_share.share_servers import Place
from spindlemark.families.shared.unprivileged import UID
from spindlemark.harness.repetition import Repetition, Step
from spindlemark.testbeds.background import Background
from spindlemark.testbeds.page_cache import resident

CLIPS = 8  # on the card: each a film, its metadata and its thumbnail, as cards of professional cameras have them
SIDECARS = {"XML": 4 << 10, "JPG": 16 << 10}
PICTURE_BYTES, HEAD_BYTES, OPENED = 96 << 10, 64 << 10, 200
MBIT, GB = 10**6, 1e9
_SEED = 26


def amounts(file_bytes: int, seconds: float, reads: int, pictures: int) -> dict[str, Any]:
    """The factor `editing`; raises ProfileError where the film is too short for the streams."""
    frames = frames_of(seconds)
    needed = MULTICAM_STREAMS * frames * frame_bytes(MULTICAM_MBIT * MBIT)
    if needed > file_bytes or reads > file_bytes // PIECE:
        raise ProfileError(
            f"families.network_share.scale: file_size {file_bytes} is too short for the streams ({needed} bytes) or for "
            f"{reads} scrubs of 1 MiB",
            "raise file_size, or lower task_seconds or scrubs",
        )
    return {
        "seconds": seconds,
        "scrubs": reads,
        "pictures": pictures,
        "picture_bytes": PICTURE_BYTES,
        "card_bytes": sum(card(file_bytes // 2).values()),
        "card_files": len(card(file_bytes // 2)),
        "play_mbit": list(PLAYED_MBIT),
        "multicam": f"{MULTICAM_STREAMS} x {MULTICAM_MBIT} Mbit/s",
    }


def needed_bytes(file_bytes: int, seconds: float, pictures: int) -> int:
    """Bytes that the tasks store on the server, next to the film."""
    return file_bytes // 2 + pictures * PICTURE_BYTES + frames_of(seconds) * frame_bytes(RECORDED_MBIT * MBIT)


def card(size: int) -> dict[str, int]:
    """Path -> bytes of the files of a camera card of about `size` bytes."""
    found: dict[str, int] = {}
    for number in range(1, CLIPS + 1):
        name = f"{CARD}/CLIP{number:04}"
        found |= {f"{name}.MXF": size // CLIPS - sum(SIDECARS.values())}
        found |= {f"{name}.{kind}": length for kind, length in SIDECARS.items()}
    return found


def prepare(place: Place, pictures: int) -> None:
    """Store the folder of pictures on the server."""
    content = block(_SEED)
    for number in range(pictures):
        file = place.shared / PICTURES / f"IMG_{number:05}.JPG"
        start = number * 4096 % (PIECE - PICTURE_BYTES)
        file.write_bytes(content[start : start + PICTURE_BYTES])
        file.chmod(0o666)
        os.chown(file, UID, UID)


@dataclass
class Editor:
    """An editor's client of one protocol, and the server that it uses."""

    repetition: Repetition
    protocol: str
    place: Place
    server: Background | None
    limit: float

    def measure(self) -> None:
        """Do each task and record its metrics; without a client for it, a note says why it is absent."""
        if self.protocol in (LOCAL, NBD):
            why = "a disk of the server itself" if self.protocol == LOCAL else "a block device for one writer"
            self._absent("", f"{why} is not a share")
            return
        amount = self.repetition.factors["editing"]
        for rate in PLAYED_MBIT:
            self._play(rate, amount["seconds"])
        self._scrub(amount["scrubs"])
        self._multicam(amount["seconds"])
        self._card()
        if self.protocol == WEBDAV:
            self._absent("folder_", "unsupported: nginx does not list folders by WebDAV (PROPFIND)")
        else:
            self._folder(min(OPENED, amount["pictures"]))
        self._record(amount["seconds"])

    def _play(self, rate: int, seconds: float) -> None:
        name = f"play_{rate}"
        report = self._step(name, [Part("play", bits_per_second=rate * MBIT, seconds=seconds)])
        self._late(f"{name}_late_count", report.parts[0].late)
        self._cpu(f"{name}_cpu_seconds", report, seconds)

    def _scrub(self, reads: int) -> None:
        size, seed = self.place.data.stat().st_size, _SEED + self.repetition.number
        report = self._step("scrub", [Part("scrub", bytes=size, count=reads, seed=seed)])
        (scrubbed,) = report.parts
        assert scrubbed.median_seconds is not None and scrubbed.p99_seconds is not None  # reads is above 0
        self.repetition.measure("scrub_seconds", scrubbed.median_seconds)
        self.repetition.measure("scrub_p99_seconds", scrubbed.p99_seconds)
        self._cpu("scrub_cpu_seconds", report, reads)

    def _multicam(self, seconds: float) -> None:
        bits = MULTICAM_MBIT * MBIT
        each = frames_of(seconds) * frame_bytes(bits)
        parts = [Part("play", offset=n * each, bits_per_second=bits, seconds=seconds) for n in range(MULTICAM_STREAMS)]
        report = self._step("multicam", parts)
        self._late("multicam_late_count", sum(part.late for part in report.parts))
        self._cpu("multicam_cpu_seconds", report, seconds)

    def _card(self) -> None:
        files = card(self.place.data.stat().st_size // 2)
        report, synced = self._written("card", [Part("copy", files=files, seed=_SEED)])
        size = sum(files.values())
        self._require_written(files)
        seconds = report.parts[0].seconds + synced
        self.repetition.measure("card_seconds", seconds)
        self.repetition.measure("card_bytes_per_second", size / seconds)
        self._cpu("card_gb_cpu_seconds", report, size / GB)

    def _folder(self, opened: int) -> None:
        part = Part("folder", path=PICTURES, count=opened, head=HEAD_BYTES)
        report = self._step("folder", [part], min_read=None)
        self.repetition.measure("folder_seconds", report.parts[0].seconds)
        self._cpu("folder_cpu_seconds", report, 1)

    def _record(self, seconds: float) -> None:
        bits = RECORDED_MBIT * MBIT
        parts = [
            Part("record", path=RECORDING, bits_per_second=bits, seconds=seconds, seed=_SEED),
            Part("play", bits_per_second=bits, seconds=seconds),
        ]
        report, _ = self._written("record", parts)
        self._require_written({RECORDING: report.parts[0].bytes}, frame_bytes(bits))
        self._late("record_late_count", report.parts[0].late)
        self._late("record_play_late_count", report.parts[1].late)
        self._cpu("record_cpu_seconds", report, seconds)

    def _step(self, name: str, parts: list[Part], min_read: int | None = 0) -> Report:
        """Do a task that reads, on cold caches; the server's device must have read what the clients received."""
        with self.repetition.step(name) as step:
            held = resident(self.place.data)
            report = self._run(parts)
        if min_read is not None:
            self._require_cold(step, sum(part.bytes for part in report.parts) - held)
        return report

    def _written(self, name: str, parts: list[Part]) -> tuple[Report, float]:
        """Do a task that writes; the seconds in which the server's disk got it after the last answer."""
        with self.repetition.step(name):
            report = self._run(parts)
            synced = self.repetition.run(["sync", "-f", self.repetition.testbed.mount_point], self.limit).seconds
        return report, synced

    def _run(self, parts: list[Part]) -> Report:
        link, group = self.repetition.testbed, self.server.group if self.server else None
        task = {
            "protocol": self.protocol,
            "address": self.place.address,
            "port": PORT,
            "server": str(group or ""),
            "parts": [asdict(part) for part in parts],
        }
        words = [*programs.PYTHON, "-m", "spindlemark.families.network_share.editing_client", json.dumps(task)]
        before = self.server.cpu_seconds() if self.server else 0.0
        report = report_of(self.repetition.run(link.within(link.client, words), self.limit).stdout)
        if report.server_seconds is None:
            report = replace(report, server_seconds=(self.server.cpu_seconds() if self.server else 0.0) - before)
        return report

    def _late(self, metric: str, frames: int) -> None:
        self.repetition.measure(metric, frames)

    def _cpu(self, metric: str, report: Report, amount: float) -> None:
        spent = sum(part.cpu_seconds for part in report.parts) + (report.server_seconds or 0.0)
        self.repetition.measure(metric, spent / amount)

    def _absent(self, beginning: str, why: str) -> None:
        self.repetition.note({f"absent.{name}": why for name in METRICS if name.startswith(beginning)})

    def _require_cold(self, step: Step, wanted: int) -> None:
        self.repetition.require(
            "cold_proof",
            step.read_bytes >= wanted > 0,
            step.read_bytes,
            wanted,
            "B",
            "bytes that the server's device read, from its own counter, against those of the task that no packet held in memory",
        )

    def _require_written(self, files: dict[str, int], piece: int = PIECE) -> None:
        """The gate `content`: new files hold what the client sent, and nothing else."""
        content, different = block(_SEED)[:piece], 0
        for path, size in files.items():
            with (self.place.shared / path).open("rb") as file:
                found = hashlib.file_digest(file, "sha256").digest()
            different += found != hashlib.sha256(content * (size // piece) + content[: size % piece]).digest()
        self.repetition.require(
            "content", not different, different, 0, "1", "new files whose SHA-256 differs from what the client sent"
        )
