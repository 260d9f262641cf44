"""When a picture counts as unchanged after a codec."""

# In levels of 255: the error of rounding to whole levels, which no 8-bit output can avoid.
LEAST_ERROR = 12**-0.5
LOSSLESS_DB = 100.0  # stands for identical pictures
LOSSLESS = "lossless"


def is_lossless(value: float, unit: str) -> bool:
    """Whether an error in levels or a PSNR in dB is that of identical pictures. A ratio to it has no meaning."""
    return value < LEAST_ERROR + 1e-9 if unit == "levels" else unit == "dB" and value >= LOSSLESS_DB
