"""The Debian archive that the host uses: its address and keys, read from apt's own files."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from spindlemark.core.outcome import Unsupported

APT = Path("/etc/apt")
# The keys of the archive's own package, for hosts whose sources name none.
KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


@dataclass(frozen=True)
class Source:
    """One archive; `keys` is a file or a key in the format of apt's Signed-By, None for keys that apt trusts anyway."""

    address: str
    keys: str | None
    components: str = "main"

    def stanza(self, suite: str) -> str:
        """The entry of the archive's `suite` in apt's deb822 format."""
        signed = f"Signed-By: {self.keys}\n" if self.keys else ""
        return f"Types: deb\nURIs: {self.address}\nSuites: {suite}\nComponents: {self.components}\n{signed}"


def debian(folder: Path = APT) -> Source:
    """The Debian archive among the host's sources; raises Unsupported when there is none."""
    for address, components, keys in _entries(folder):
        # Every mirror of the archive ends in this name; security updates and other archives do not.
        if address.rstrip("/").endswith("/debian") and "main" in components:
            return Source(address, keys or (str(KEYS) if KEYS.exists() else None))
    raise Unsupported(f"no Debian archive is among the sources in {folder}, so no package can be fetched")


def _entries(folder: Path) -> Iterator[tuple[str, list[str], str | None]]:
    for path in sorted((folder / "sources.list.d").glob("*.sources")):
        for text in path.read_text(errors="replace").split("\n\n"):
            yield from _of_stanza(text)
    for path in (folder / "sources.list", *sorted((folder / "sources.list.d").glob("*.list"))):
        if path.exists():
            for line in path.read_text(errors="replace").splitlines():
                yield from _of_line(line)


def _of_stanza(text: str) -> Iterator[tuple[str, list[str], str | None]]:
    fields: dict[str, str] = {}
    key = ""
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        if line[:1].isspace() and key:
            fields[key] += f"\n{line}"
        elif ":" in line:
            key, _, value = line.partition(":")
            key = key.strip().lower()
            fields[key] = value.strip()
    if "deb" in fields.get("types", "").split() and fields.get("enabled", "yes").lower() not in ("no", "false", "0"):
        for address in fields.get("uris", "").split():
            yield address, fields.get("components", "").split(), fields.get("signed-by")


def _of_line(line: str) -> Iterator[tuple[str, list[str], str | None]]:
    words = line.split("#")[0]
    options, keys = "", None
    if "[" in words:
        before, _, rest = words.partition("[")
        options, _, after = rest.partition("]")
        words = before + after
    for option in options.split():
        if option.startswith("signed-by="):
            keys = option.removeprefix("signed-by=")
    fields = words.split()
    if len(fields) >= 4 and fields[0] == "deb":
        yield fields[1], fields[3:], keys
