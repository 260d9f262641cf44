"""Factor `server`: one of config/servers.yaml, with the configuration that it is given."""

from typing import Any

from spindlemark import config
from spindlemark.core.record import Part
from spindlemark.families.factors.factor import Choice, Factor, with_setting

_WHERE = "config/servers.yaml"


class ServerFactor(Factor):
    """One of config/servers.yaml, with the configuration that it is given."""

    name = "server"
    leads = True

    def resolve(self, choice: Choice) -> dict[str, Any]:
        """Name, program, arguments, configuration and how its log is read."""
        name = choice.value("server")
        server = config.choose(choice.registry.servers, name, "server", choice.where)
        return {"name": name} | server.model_dump(exclude={"title", "package", "version"})

    def part(self, chosen: str) -> Part:
        """A server and its setting, which config/servers.yaml declares as nginx+threads."""
        return with_setting(chosen)

    def tools(self, value: dict[str, Any], registry: config.Registry) -> dict[str, tuple[str, ...]]:
        """Its package and the command that prints the version."""
        server = config.choose(registry.servers, value["name"], "server", _WHERE)
        return {server.package: tuple(server.version)}


SERVER = ServerFactor()
