"""Files for readers that each have their own: recorded one after another, when a number of readers first needs them."""

from spindlemark.families.shared.streams.recorder import record
from spindlemark.harness.repetition import Repetition


class Library:
    """Files 0, 1, 2 ... of `file_bytes` each, whole blocks, on the mounted filesystem."""

    def __init__(self, repetition: Repetition, file_bytes: int, block_bytes: int) -> None:
        self.repetition, self.file_bytes, self.block_bytes, self.count = repetition, file_bytes, block_bytes, 0
        self.folder = repetition.testbed.mount_point / "library"

    def readers(self, number: int) -> list[str]:
        """Fio's words for `number` readers; records the files that are not there yet."""
        if number > self.count:
            self._record(number)
        return [
            "--name=reader",
            "--rw=read",
            f"--numjobs={number}",
            f"--directory={self.folder}",
            "--filename_format=$jobnum",
            "--allow_file_create=0",
        ]

    def _record(self, number: int) -> None:
        missing = (number - self.count) * self.file_bytes
        with self.repetition.step("record"):
            record(
                self.repetition,
                self.folder,
                missing,
                tuners=1,
                block=self.block_bytes,
                flush=missing + 1,
                smallest=self.file_bytes,
                largest=self.file_bytes,
                budget=number * self.file_bytes,
                seed=0,
            )
        self.count = number
