"""Files of Maven Central, or of a mirror, each pinned by its SHA-256."""

import hashlib
import http.client
import os
import time
import urllib.request
from pathlib import Path

REPOSITORY = "https://repo.maven.apache.org/maven2"
MIRROR = "SPINDLEMARK_MAVEN_MIRROR"  # variable with the address of another repository of the same layout
MOST_BYTES, SECONDS, SECONDS_WITHOUT_DATA = 50_000_000, 300, 60


class FetchError(Exception):
    """A file could not be fetched, or is another one than the pinned one."""


def fetch(pins: Path, folder: Path) -> None:
    """Fetch every file that `pins` lists into `folder`; raises FetchError before anything with another hash is written.

    A line of `pins` is the SHA-256, two spaces and the path in the repository. Proxies and certificates are those of the
    environment (HTTPS_PROXY, SSL_CERT_FILE).
    """
    repository = (os.environ.get(MIRROR) or REPOSITORY).rstrip("/")
    for line in pins.read_text(encoding="utf-8").splitlines():
        digest, path = line.split("  ")
        content = _content(f"{repository}/{path}")
        if hashlib.sha256(content).hexdigest() != digest:
            raise FetchError(f"{repository}/{path} differs from the file whose SHA-256 {pins.name} has")
        (folder / path.rpartition("/")[2]).write_bytes(content)


def _content(address: str) -> bytes:
    end, content = time.monotonic() + SECONDS, bytearray()
    try:
        with urllib.request.urlopen(address, timeout=SECONDS_WITHOUT_DATA) as answer:
            while part := answer.read1(1 << 16):
                content += part
                if len(content) > MOST_BYTES:
                    raise ValueError(f"it has more than {MOST_BYTES} bytes")
                if time.monotonic() > end:
                    raise TimeoutError(f"it is not complete after {SECONDS} s")
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise FetchError(
            f"{address} could not be fetched: {getattr(error, 'reason', error)}; connect this machine, or set {MIRROR} to the "
            "address of a mirror"
        ) from None
    return bytes(content)
