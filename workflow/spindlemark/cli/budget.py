"""The time budget of a run."""

import time


class Budget:
    """Seconds of measuring that are left.

    Time counts from the start of a call's first repetition to the end of its last. It does not count while testbeds are
    tried, another project measures, the results are analysed or pages are written.
    """

    def __init__(self, seconds: float) -> None:
        self.left = seconds
        self._last: float | None = None

    def update(self, measuring: bool) -> None:
        """Subtract the time since the last call if it was, and still is, time of measuring."""
        now = time.monotonic()
        if measuring and self._last is not None:
            self.left -= now - self._last
        self._last = now if measuring else None
