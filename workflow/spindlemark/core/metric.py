"""What a number of a record means."""

from pydantic import Field

from spindlemark.core.record import Better, Closed


class Metric(Closed):
    """What a number means; its name ends in its unit."""

    title: str
    unit: str = Field(description="s, B, 1, B/s, 1/s, bit/s, levels, dB, points")
    better: Better
    description: str
    shortest_seconds: float | None = Field(
        default=None,
        ge=0,
        description=(
            "of a time: what a shorter one counts as, since it measures the clock's surroundings; null: as "
            "config/recommendations.yaml declares it for commands"
        ),
    )
    by_chance: str | None = Field(
        default=None, description="what makes it chance, so that no ratio of it is said; null where it is none"
    )


OWN_CLOCK = 0.02  # shortest_seconds of a program's own clock around one call: no start of a process is in it
OF_MANY = 0.0  # of a time that many operations share, as a latency or that of a frame: what was timed is all of them
