"""Formats of media: what one stream of each needs (`config/formats.yaml`)."""

from pydantic import Field, model_validator

from spindlemark.config.reading import read_yaml
from spindlemark.core.limits import Name, Text
from spindlemark.core.paths import CONFIG
from spindlemark.core.record import Closed

BITS = 8


class Format(Closed):
    """One format: its published rate, or the size of its frames."""

    group: Text = Field(description="heading in the list of formats")
    title: Text
    source: Name = Field(description="key of the source of the figure")
    megabits: float | None = Field(default=None, gt=0, description="published rate in 10^6 bit/s")
    frame_bytes: int | None = Field(default=None, gt=0)
    frames_per_second: float | None = Field(default=None, gt=0)
    most: bool = Field(default=False, description="whether the rate is an upper limit")

    @model_validator(mode="after")
    def _one_figure(self) -> "Format":
        frames = (self.frame_bytes is not None, self.frames_per_second is not None)
        if frames[0] != frames[1] or (self.megabits is None) != all(frames):
            raise ValueError("needs either megabits, or frame_bytes and frames_per_second")
        return self

    @property
    def bytes_per_second(self) -> float:
        """The rate of one stream."""
        if self.megabits is not None:
            return self.megabits * 1e6 / BITS
        return (self.frame_bytes or 0) * (self.frames_per_second or 0)


class Formats(Closed):
    """All formats with their sources."""

    sources: dict[Name, Text]
    formats: dict[Name, Format]

    @model_validator(mode="after")
    def _known_sources(self) -> "Formats":
        for name, each in self.formats.items():
            if each.source not in self.sources:
                raise ValueError(f"formats.{name}.source: no source is called {each.source!r}")
        return self


def read() -> Formats:
    """The declared formats; raises UserError with file and key."""
    return read_yaml(CONFIG / "formats.yaml", Formats)
