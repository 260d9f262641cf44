"""Sector sizes in bytes that each library of compound files writes. Compound files are the containers of AAF."""

from collections.abc import Mapping

SECTORS = (512, 4096)
WRITES: Mapping[str, tuple[int, ...]] = {
    "libgsf": SECTORS,
    "cfb": SECTORS,
    "poi": (512,),
    "pyaaf2": SECTORS,
    "olefile": (),  # only reads
}
