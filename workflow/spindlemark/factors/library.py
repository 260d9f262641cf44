"""Factor `library`: one of config/libraries.yaml at the scale of the profile."""

from typing import Any

from spindlemark import declare, media
from spindlemark.factors import Choice


def resolve(choice: Choice) -> dict[str, Any]:
    """Counts and sizes of its files; see media.resolve."""
    name = choice.value("library")
    library = declare.choose(choice.registry.libraries, name, "library", choice.where)
    scale = declare.choose(choice.profile.libraries, name, "library", "config/profiles/: libraries")
    return media.resolve(name, library, scale, choice.profile.content, choice.registry.config.seed)
