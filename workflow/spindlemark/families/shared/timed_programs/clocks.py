"""Time in sender and watcher: sleeping until a moment, and the processor time between two moments."""

import resource
import threading
import time


def sleep_until(moment: float) -> None:
    """Sleep until CLOCK_MONOTONIC shows `moment`, in seconds."""
    left = moment - time.monotonic()
    if left > 0:
        time.sleep(left)


def microseconds() -> int:
    """CLOCK_MONOTONIC now."""
    return time.monotonic_ns() // 1000


def scaled_microseconds(begin: float, rate: float) -> int:
    """CLOCK_MONOTONIC as a clock of that `rate` shows it, which was right at `begin`, in seconds."""
    return round(1e6 * begin) + round(rate * (microseconds() - round(1e6 * begin)))


class Spent(threading.Thread):
    """Processor seconds of this process, with all its threads, between two moments of CLOCK_MONOTONIC."""

    def __init__(self, begin: float, end: float) -> None:
        super().__init__(daemon=True)
        self._moments, self._readings = (begin, end), [0.0, 0.0]
        self.start()

    def run(self) -> None:
        """Read the account at both moments."""
        for n, moment in enumerate(self._moments):
            sleep_until(moment)
            used = resource.getrusage(resource.RUSAGE_SELF)
            self._readings[n] = used.ru_utime + used.ru_stime

    def seconds(self) -> float:
        """Wait for the second moment, then report."""
        self.join()
        return self._readings[1] - self._readings[0]
