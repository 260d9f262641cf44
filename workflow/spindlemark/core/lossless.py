"""When a picture counts as unchanged after a codec."""

# Levels of 255: what rounding to whole levels costs already. Less is no error of a codec that is asked for 8 bits.
LEAST_ERROR = 12**-0.5
LOSSLESS_DB = 100.0  # stands for equal pictures
LOSSLESS = "lossless"


def is_lossless(value: float, unit: str) -> bool:
    """Whether an error in levels, or a distance in dB, is that of equal pictures: no ratio to it says anything."""
    return value < LEAST_ERROR + 1e-9 if unit == "levels" else unit == "dB" and value >= LOSSLESS_DB
