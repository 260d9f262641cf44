"""Names that are safe in a path and in an address."""

import re


def slug(text: str) -> str:
    """Return `text` with letters, digits, dot, hyphen and underscore only, and never dots alone."""
    return re.sub(r"[^A-Za-z0-9._-]+|^\.+$", "-", text).strip("-")
