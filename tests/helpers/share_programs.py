"""Programs of network shares that a test needs."""

import pytest

from spindlemark.core.process import programs
from spindlemark.families.network_share.share_servers import SERVERS


def need(protocol: str) -> None:
    """Skip the test where the protocol's server is not installed."""
    if programs.find(SERVERS[protocol].program) is None:
        pytest.skip(f"{SERVERS[protocol].program} is not here: ./spindlemark test fetches it")
