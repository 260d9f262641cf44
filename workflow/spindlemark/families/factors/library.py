"""Factor `library`: one of config/libraries.yaml at the scale of the profile."""

from functools import cache
from pathlib import Path
from typing import Any

from spindlemark import config
from spindlemark.core import space
from spindlemark.core.errors import ProfileError
from spindlemark.families.factors.factor import Choice, Factor
from spindlemark.families.shared import media
from spindlemark.testbeds import kind as testbed_kind

GIB = 1 << 30


class LibraryFactor(Factor):
    """One of config/libraries.yaml at the scale of the profile."""

    name = "library"
    settings = {"library": "library.name"}

    def prepare(self, value: dict[str, Any], declared: config.Testbed) -> None:
        """Make the library where the testbed's repetitions find it; raises UserError where it does not fit."""
        media.cached(value, Path(declared.source_directory))

    def library(self, value: dict[str, Any]) -> dict[str, Any] | None:
        """The library itself."""
        return value

    def resolve(self, choice: Choice) -> dict[str, Any]:
        """Counts and sizes of its files; see media.resolve."""
        name = choice.value("library")
        library = config.choose(choice.registry.libraries, name, "library", choice.where)
        if name not in choice.profile.libraries:
            raise ProfileError(f"libraries: {name}: is missing", "say how much of that library is measured")
        return media.resolve(
            name,
            library,
            choice.profile.libraries[name],
            choice.profile.content,
            choice.registry.config.seed,
            _room(choice),
        )


def _room(choice: Choice) -> int | None:
    """Whole GiB that the library's folder has for it; None for one on a disk or not on this machine, or without content.

    Whole ones, so that the same machine always has the same library.
    """
    if isinstance(choice.testbed, config.RamTestbed) and choice.testbed.sparse_memory:
        return None  # libraries there have no content
    folder = Path(choice.testbed.source_directory)
    if not folder.is_dir() or not space.in_memory(folder):
        return None
    kind = testbed_kind.of(choice.testbed)
    image = int(choice.testbed.image_size or choice.profile.image_size) if kind.in_memory else 0
    return (_whole(folder) - image) // GIB * GIB


@cache
def _whole(folder: Path) -> int:
    """Bytes of a folder in memory that libraries and images may take; a plan asks for each of thousands of experiments."""
    return space.capacity(folder)[1] - space.required_free(folder)


class LibraryLayoutFactor(LibraryFactor):
    """Folders, file names and sizes of a library whose files get space and no content, so that none is generated."""

    def prepare(self, value: dict[str, Any], declared: config.Testbed) -> None:
        """Make nothing."""

    def library(self, value: dict[str, Any]) -> dict[str, Any] | None:
        """No library is read."""
        return None

    def resolve(self, choice: Choice) -> dict[str, Any]:
        """Counts and sizes of its files; see media.resolve."""
        return super().resolve(choice) | {"content": "none"}


LIBRARY = LibraryFactor()
LIBRARY_LAYOUT = LibraryLayoutFactor()
