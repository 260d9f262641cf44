"""Factor `server`: one of config/servers.yaml, with the configuration that it is given."""

from typing import Any

from spindlemark import config
from spindlemark.core.record import Part
from spindlemark.families.factors import registry as factors
from spindlemark.families.factors.registry import Choice

LEADS = True
_WHERE = "config/servers.yaml"


def resolve(choice: Choice) -> dict[str, Any]:
    """Name, program, arguments, configuration and how its log is read."""
    name = choice.value("server")
    server = config.choose(choice.registry.servers, name, "server", choice.where)
    return {"name": name} | server.model_dump(exclude={"title", "package", "version"})


def part(chosen: str) -> Part:
    """A server and its setting, which config/servers.yaml declares as nginx+threads."""
    return factors.with_setting(chosen)


def tools(value: dict[str, Any], registry: config.Registry) -> dict[str, tuple[str, ...]]:
    """Its package and the command that prints the version."""
    server = config.choose(registry.servers, value["name"], "server", _WHERE)
    return {server.package: tuple(server.version)}
