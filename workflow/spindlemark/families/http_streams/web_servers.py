"""A web server of config/servers.yaml: its folder, its configuration filled in, its words, its access log."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from spindlemark.config.servers import PLACEHOLDERS
from spindlemark.core.outcome import Failed
from spindlemark.core.process import programs
from spindlemark.core.process.command import execute
from spindlemark.testbeds import background

USER = "nobody"  # no right to anything but what everybody may read, and to its own folder
PORT = 8080
_USUAL = {
    "address": "0.0.0.0",
    "port": "80",
    "root": "MOUNT_POINT/films",
    "folder": "/var/lib/media-server",
    "prefix": "",
}
CERTIFICATE, KEY = "certificate", "key"
# A key on the curve P-256, as common certificates have; only this measurement's client sees it.
_ISSUE = (
    "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=media-server -batch"
)
_PLAIN = re.compile(r"[A-Za-z0-9._:/+-]*")


class Answered(NamedTuple):
    """One line of the access log."""

    path: str
    status: int
    bytes: int


@dataclass(frozen=True)
class Server:
    """A server that is about to be started: the factor `server`, and what its places are filled with."""

    factor: Mapping[str, Any]
    folder: Path
    places: dict[str, str]

    def words(self, key: str = "arguments") -> list[str]:
        """The command that starts it, or the one that looks at its configuration."""
        return [self.factor["program"], *(filled(word, self.places) for word in self.factor[key])]

    def answered(self) -> list[Answered]:
        """What the access log says so far, in its order; a line that is none is an error of ours."""
        log = self.folder / "log"
        text = log.read_text(errors="replace") if log.exists() else ""
        pattern, found = re.compile(self.factor["log"]["line"]), []
        for line in text.splitlines():
            if (match := pattern.search(line)) is None:
                raise ValueError(f"{self.factor['name']}: its access log has a line of another shape: {line[:200]!r}")
            found.append(Answered(match["path"], int(match["status"]), int(match["bytes"])))
        return found

    def forget(self) -> None:
        """Empty the access log: the next trial begins with none."""
        with suppress(FileNotFoundError):
            os.truncate(self.folder / "log", 0)


@contextmanager
def prepared(factor: Mapping[str, Any], root: Path, address: str) -> Iterator[Server]:
    """The server with its configuration, in a folder of its own; removed in the end.

    Nothing that is filled in comes from outside: an address, a port and folders that this program named.
    """
    folder = background.own_folder(USER)
    places = {
        "address": address,
        "port": str(PORT),
        "root": str(root),
        "folder": str(folder),
        "prefix": _prefix(factor["program"]),
    }
    server = Server(factor, folder, places)
    try:
        (folder / "configuration").write_text(filled(factor["configuration"], places))
        if has_tls(factor):
            _issue(folder, USER)
        yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def has_tls(factor: Mapping[str, Any]) -> bool:
    """Whether the server's configuration uses a certificate, so that its clients use TLS."""
    return f"@folder@/{CERTIFICATE}" in factor["configuration"]


def _issue(folder: Path, owner: str | None) -> None:
    """A new certificate and its key, which only `owner` may read, or who runs this."""
    done = execute([*_ISSUE.split(), "-keyout", str(folder / KEY), "-out", str(folder / CERTIFICATE)], 60)
    if done.exit_code:
        raise Failed(f"openssl made no certificate: {(done.stderr.strip() or 'it printed nothing').splitlines()[-1]}")
    if owner:
        shutil.chown(folder / KEY, owner)


def is_here(program: str) -> bool:
    """Whether the program is installed, or unpacked."""
    return programs.find(program) is not None


def filled(text: str, places: Mapping[str, str]) -> str:
    """The text with each place filled in; raises ValueError for what could mean more than itself in a configuration."""
    for name in PLACEHOLDERS:
        if not _PLAIN.fullmatch(places[name]):
            raise ValueError(f"{name}: {places[name]!r} is not filled into a configuration")
        text = text.replace(f"@{name}@", places[name])
    return text


def usual(configuration: str) -> str:
    """A configuration with its places filled with usual values, ready to copy."""
    for name, place in _USUAL.items():
        configuration = configuration.replace(f"@{name}@", place)
    return configuration


def _prefix(program: str) -> str:
    """The path before /usr of the program's package: empty where it is installed."""
    found = Path(programs.find(program) or "")
    if programs.UNPACKED not in found.parents:
        return ""
    return str(programs.UNPACKED / found.relative_to(programs.UNPACKED).parts[0])
