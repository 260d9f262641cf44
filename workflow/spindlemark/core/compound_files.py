"""Libraries of compound files, the containers of AAF: the sectors that each of them writes, in bytes."""

from collections.abc import Mapping

SECTORS = (512, 4096)
WRITES: Mapping[str, tuple[int, ...]] = {
    "libgsf": SECTORS,
    "cfb": SECTORS,
    "poi": (512,),
    "pyaaf2": SECTORS,
    "olefile": (),  # only reads
}
