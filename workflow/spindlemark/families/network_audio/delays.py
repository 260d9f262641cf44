"""What the packets of a trial say: how much later than the quickest one each arrived, and how many came in time."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Delays:
    """Seconds by which each packet that arrived was slower than the quickest one (RFC 5481, section 4.2), and packets sent."""

    variation: np.ndarray
    sent: int

    @property
    def lost(self) -> float:
        """Share of the packets that never arrived."""
        return 1 - len(self.variation) / self.sent

    def exceeded_by(self, share: float) -> float:
        """Seconds that this share of the packets that arrived exceeds."""
        return float(np.quantile(self.variation, 1 - share))

    def in_time(self, seconds: float) -> float:
        """Share of all packets sent that a receiver with a buffer of so many seconds can play."""
        return int((self.variation <= seconds).sum()) / self.sent


def of(seen: np.ndarray, first: int) -> Delays:
    """From the receiver's array (flow, number, sent and arrived in nanoseconds), without packets before `first`.

    Raises ValueError where no packet arrived.
    """
    counted = seen[:, first:, :].reshape(-1, 2)
    arrived = counted[counted[:, 1] > 0]
    if not len(arrived):
        raise ValueError("no packet of sound arrived")
    took = arrived[:, 1] - arrived[:, 0]
    return Delays((took - took.min()) / 1e9, len(counted))
