"""The loads of CrystalDiskMark 8, as fio's jobs and in words: what families put on a disk, or on a share of one."""

from typing import NamedTuple


class Load(NamedTuple):
    """One load: bytes of a request as fio writes them, whether at random places, requests in flight per thread, threads."""

    block: str
    at_random: bool
    depth: int
    threads: int

    @property
    def block_bytes(self) -> int:
        """Bytes of a request."""
        return BLOCKS[self.block]

    @property
    def in_flight(self) -> int:
        """Requests in flight in all threads."""
        return self.depth * self.threads


LOADS = {
    "seq1m_q8t1": Load("1m", False, 8, 1),
    "seq1m_q1t1": Load("1m", False, 1, 1),
    "rnd4k_q32t16": Load("4k", True, 32, 16),
    "rnd4k_q1t1": Load("4k", True, 1, 1),
}
BLOCKS = {"1m": 2**20, "4k": 2**12}
DIRECTIONS = ("read", "write")
MOST_IN_FLIGHT = max(load.in_flight for load in LOADS.values())


def title(name: str, way: str) -> str:
    """As `SEQ1M Q8T1 read`."""
    load = LOADS[name]
    return f"{name[:3].upper()}{load.block.upper()} Q{load.depth}T{load.threads} {way}"


def what(name: str, way: str) -> str:
    """What the load asks for, in words."""
    load = LOADS[name]
    each = f" in each of {load.threads} threads" if load.threads > 1 else ""
    return (
        f"{way}s of {load.block[:-1]} {load.block[-1].upper()}iB {'at random places' if load.at_random else 'in order'}, "
        f"{load.depth} at a time{each}"
    )


def words(name: str, way: str) -> list[str]:
    """Fio's job of the load."""
    load = LOADS[name]
    return [
        f"--name={name}_{way}",
        f"--rw={'rand' if load.at_random else ''}{way}",
        f"--bs={load.block}",
        f"--iodepth={load.depth}",
        f"--numjobs={load.threads}",
    ]
