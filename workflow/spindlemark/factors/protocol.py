"""Factor `protocol`: how a share is used, as nbd, smb, nfs or webdav; `local` is the same disk without a network."""

from typing import Any

from spindlemark import declare
from spindlemark.errors import UserError
from spindlemark.factors import Choice
from spindlemark.shares.servers import SERVERS
from spindlemark.shares.using import LOCAL

LEADS = True
OVER_NETWORK, OVER_NOTHING = "network", "nothing"
PROTOCOLS = (LOCAL, *SERVERS)


def resolve(choice: Choice) -> dict[str, Any]:
    """Its name, and what it goes over."""
    name = choice.value("protocol")
    if name not in PROTOCOLS:
        raise UserError(f"{choice.where}: sets: factors: protocol: there is no {name!r}", f"use {', '.join(PROTOCOLS)}")
    return {"name": name, "over": OVER_NETWORK if name in SERVERS else OVER_NOTHING}


def tools(value: dict[str, Any], registry: declare.Registry) -> dict[str, tuple[str, ...]]:
    """The server's package and the command that prints its version."""
    server = SERVERS.get(value["name"])
    return {server.package: server.version} if server else {}
