"""Web servers in `config/servers.yaml`: configuration, command line and access log."""

import re
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator

from spindlemark.core.limits import Name, Text
from spindlemark.core.record import Closed

PLACEHOLDERS = ("address", "port", "root", "folder", "prefix")
_PLACE = re.compile(r"@([^@\s]*)@")
_GROUPS = {"path", "status", "bytes"}

Configuration = Annotated[
    str, StringConstraints(pattern=r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$", min_length=1, max_length=20_000)
]
Words = Annotated[list[Text], Field(min_length=1)]


class Log(Closed):
    """Format of the access log."""

    line: Text = Field(description="regular expression of a line, with the groups path, status and bytes")
    counts: Literal["all", "body"] = Field(
        description="whether its bytes are all bytes sent, or only the bodies of responses"
    )

    @field_validator("line")
    @classmethod
    def _has_groups(cls, line: str) -> str:
        try:
            groups = re.compile(line).groupindex
        except re.error as error:
            raise ValueError(f"is not a regular expression: {error}") from None
        if missing := sorted(_GROUPS - groups.keys()):
            raise ValueError(f"has no group called {missing[0]}")
        return line


class Server(Closed):
    """One web server: a program with its settings."""

    title: Text
    program: Name = Field(description="name in envs/apt.yaml")
    package: Name
    version: Words = Field(description="command that prints the version")
    arguments: Words = Field(description="arguments of the command that starts it in the foreground")
    check: Words | None = Field(
        default=None,
        description="arguments to check the configuration: a program that rejects it "
        "lacks a feature, and is unsupported",
    )
    log: Log
    configuration: Configuration

    @field_validator("arguments", "check", "configuration")
    @classmethod
    def _known_places(cls, value: list[str] | str | None) -> list[str] | str | None:
        for text in [value] if isinstance(value, str) else value or []:
            for name in _PLACE.findall(text):
                if name not in PLACEHOLDERS:
                    raise ValueError(f"@{name}@ is not a placeholder; known are: {', '.join(PLACEHOLDERS)}")
        return value
