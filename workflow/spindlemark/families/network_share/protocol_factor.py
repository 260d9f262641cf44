"""Factor `protocol`: how a share is used, as nbd, smb, nfs or webdav; `local` is the same disk without a network."""

from typing import Any

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.families.factors.factor import Choice, Factor
from spindlemark.families.network_share.share_access import LOCAL
from spindlemark.families.network_share.share_servers import SERVERS

OVER_NETWORK, OVER_NOTHING = "network", "nothing"
PROTOCOLS = (LOCAL, *SERVERS)


class ProtocolFactor(Factor):
    """How a share is used, as nbd, smb, nfs or webdav; `local` is the same disk without a network."""

    name = "protocol"
    leads = True

    def resolve(self, choice: Choice) -> dict[str, Any]:
        """Its name, and what it goes over."""
        name = choice.value("protocol")
        if name not in PROTOCOLS:
            raise UserError(
                f"{choice.where}: sets: factors: protocol: there is no {name!r}", f"use {', '.join(PROTOCOLS)}"
            )
        return {"name": name, "over": OVER_NETWORK if name in SERVERS else OVER_NOTHING}

    def tools(self, value: dict[str, Any], registry: config.Registry) -> dict[str, tuple[str, ...]]:
        """The server's package and the command that prints its version."""
        server = SERVERS.get(value["name"])
        return {server.package: server.version} if server else {}


PROTOCOL = ProtocolFactor()
