"""How this stage writes its files."""

from pathlib import Path


def write(path: Path, text: str) -> None:
    """Write `text` under a temporary name, then rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    partial.write_text(text + "\n", encoding="utf-8")
    partial.replace(path)
