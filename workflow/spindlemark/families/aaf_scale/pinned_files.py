"""Files of a public repository, each pinned by its SHA-256."""

import hashlib
import urllib.error
import urllib.request
from pathlib import Path

REPOSITORY = "https://repo.maven.apache.org/maven2"
MOST_BYTES, SECONDS = 50_000_000, 60


class FetchError(Exception):
    """A file could not be fetched, or is another one than the pinned one."""


def fetch(pins: Path, folder: Path) -> None:
    """Fetch every file that `pins` lists into `folder`; raises FetchError before anything with another hash is written.

    A line of `pins` is the SHA-256, two spaces and the path in REPOSITORY. Proxies and certificates are those of the
    environment (HTTPS_PROXY, SSL_CERT_FILE).
    """
    for line in pins.read_text(encoding="utf-8").splitlines():
        digest, path = line.split("  ")
        content = _content(f"{REPOSITORY}/{path}")
        if hashlib.sha256(content).hexdigest() != digest:
            raise FetchError(f"{REPOSITORY}/{path} differs from the file whose SHA-256 {pins.name} has")
        (folder / path.rpartition("/")[2]).write_bytes(content)


def _content(address: str) -> bytes:
    try:
        with urllib.request.urlopen(address, timeout=SECONDS) as answer:
            return answer.read(MOST_BYTES)
    except (urllib.error.URLError, OSError) as error:
        raise FetchError(f"{address} could not be fetched: {getattr(error, 'reason', error)}") from None
