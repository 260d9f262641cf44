"""Recipe: the commands that reproduce a set-up, with placeholders for what only the reader knows."""

from collections.abc import Mapping

from spindlemark.families import registry as families
from spindlemark.families import shared_factors


def commands(settings: Mapping[str, str], family: str = "", alike: bool = False) -> list[str]:
    """Shell lines from the factors of one identity (rows of the factor table), and what was noted.

    Lines of the shared factors come first, then the family's own. `alike`: all configurations have the same filesystem
    and scheduler; then only the family's own lines are returned: someone who edits a file or starts a server is not to
    format a disk.
    """
    own = families.recipe(family, settings)
    return own if own and alike else [*shared_factors.recipe(family, settings), *own]
