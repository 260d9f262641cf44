"""Checksums of a library's files, made once and kept with it, to verify a copy."""

import os
from pathlib import Path
from typing import Any

from spindlemark.core.outcome import Broken
from spindlemark.core.process import programs
from spindlemark.families.shared.media import library_cache, library_tree

TOOL = "xxh128sum"
_FILES_AT_ONCE = 1000


def checksums(library: dict[str, Any], source_directory: Path) -> list[tuple[str, str]]:
    """(XXH128 in hex, relative path) of every file of a library that is in the cache, sorted by path.

    Raises Broken when a file cannot be read.
    """
    folder = library_cache.cached(library, source_directory)
    kept = folder.with_name(f"{folder.name}.xxh128")
    if not kept.exists():
        partial = kept.with_name(f".{kept.name}.partial")
        partial.write_text("".join(_summed(folder, sorted(library_tree.paths(library)))), encoding="utf-8")
        partial.replace(kept)
    rows = (line.split("  ", 1) for line in kept.read_text(encoding="utf-8").splitlines())
    return [(digest, path) for digest, path in rows]


def _summed(folder: Path, paths: list[str]) -> list[str]:
    found: list[str] = []
    for first in range(0, len(paths), _FILES_AT_ONCE):
        some = paths[first : first + _FILES_AT_ONCE]
        done = programs.run([TOOL, *some], cwd=folder, stdout=programs.PIPE, stderr=programs.PIPE, env=dict(os.environ))
        if done.returncode:
            raise Broken(
                f"{TOOL} ended with exit code {done.returncode}: {done.stderr.decode(errors='replace').strip()}"
            )
        found += done.stdout.decode().splitlines(keepends=True)
    return found
