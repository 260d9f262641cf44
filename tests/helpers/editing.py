"""Changing a text that a test expects to be there."""

from pathlib import Path


def edit(path: Path, old: str, new: str) -> None:
    """Put `new` into the place of the first `old`; fails where there is none."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
