"""Factor `control`: checks of the comparison itself, with a known result.

A twin is the same configuration measured again under another name, so a verdict that they differ is a false alarm. In a
slowed repetition each step waits for a known share of its own time, so a verdict without a loss is a miss.
"""

from spindlemark.core.errors import UserError
from spindlemark.families.factors.factor import Choice, Factor

NONE, TWIN, SLOWER = "none", "twin", "slower"
# Share of its own time by which each step of a repetition is prolonged.
SLOWDOWNS = {TWIN: 0.0, SLOWER: 0.1}


class ControlFactor(Factor):
    """A check with a known result: none unless a set names a twin or a slowed one.

    Without one the factor is absent, so that experiments keep the identity that they had before it existed.
    """

    name = "control"

    def resolve(self, choice: Choice) -> str | None:
        """Its value, None for none; raises UserError for an unknown one."""
        value = choice.chosen.get(self.name, NONE)
        if value != NONE and value not in SLOWDOWNS:
            raise UserError(
                f"{choice.where}: sets: factors: control: {value!r} is unknown",
                f"there are: {', '.join([NONE, *SLOWDOWNS])}",
            )
        return None if value == NONE else value

    def mark(self, choice: Choice) -> str:
        """Nothing, since it is part of the setting."""
        return ""

    def setting(self, choice: Choice) -> str:
        """Its value as a setting of the configuration, such as ext4+twin."""
        return self.resolve(choice) or ""

    def slowdown(self, value: str) -> float:
        """Share of its own time by which each step is prolonged."""
        return SLOWDOWNS[value]


CONTROL = ControlFactor()
