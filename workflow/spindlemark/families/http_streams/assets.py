"""The assets of a repetition: written one after another when a number of clients first needs them, each with its own."""

from pathlib import Path

from spindlemark.core.process import programs
from spindlemark.families.http_streams import asset_writer, thumbnails
from spindlemark.families.http_streams.http_factors import Demand
from spindlemark.harness.repetition import Repetition

# As if the device wrote 2 MB/s. A hung filesystem is what it must find.
_START_SECONDS, _SLOWEST_BYTES = 300.0, 2e6


class Assets:
    """Assets 0, 1, 2 ... below the mounted filesystem, readable by everybody, and the thumbnails, written before them."""

    def __init__(self, repetition: Repetition, demand: Demand) -> None:
        self.repetition, self.demand, self.count = repetition, demand, 0
        self.folder = repetition.testbed.mount_point / "films"

    def need(self, number: int) -> None:
        """Write the assets that are not there yet; raises Failed with the system's words when they do not fit."""
        missing = number - self.count
        if missing <= 0:
            return
        demand = self.demand
        if not self.count and demand.thumbnails:
            self._write(thumbnails.FIRST, demand.thumbnail_count, thumbnails.BYTES, 0)
        self._write(self.count, missing, demand.film_bytes, demand.segment_bytes)
        self.count = number

    def _write(self, first: int, number: int, size: int, segment_bytes: int) -> None:
        limit = _START_SECONDS + number * size / _SLOWEST_BYTES
        with self.repetition.step("films", cold=False):
            self.repetition.run(
                [
                    *programs.PYTHON,
                    "-m",
                    asset_writer.__name__,
                    str(self.folder),
                    "--first",
                    str(first),
                    "--assets",
                    str(number),
                    "--asset-bytes",
                    str(size),
                    "--segment-bytes",
                    str(segment_bytes),
                    "--rate",
                    str(self.demand.bytes_per_second),
                ],
                limit,
            )
            self.repetition.run(["sync", "-f", str(self.folder)], limit)

    def files(self) -> list[Path]:
        """Each file of each asset that is there, without playlists."""
        names = [name for name, _, _ in asset_writer.segments(self.demand.film_bytes, self.demand.segment_bytes)]
        return [self.folder / str(asset) / name for asset in range(self.count) for name in names]
