"""The machine of results, identified by facts that are part of their identities and name no person."""

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from spindlemark.core.record import Closed, canonical
from spindlemark.core.slug import slug

UNKNOWN = "unknown processor"


class Machine(Closed):
    """One machine. Records from before hosts were recorded are identified by their processor only."""

    host: str | None = Field(
        pattern="^[0-9a-f]{12}$", description="the keyed hash of core/host.py; null in older records"
    )
    cpu: Annotated[str, Field(min_length=1, max_length=200)]
    cpus: Annotated[int, Field(ge=0, le=1 << 20)]

    @property
    def id(self) -> str:
        """Eight hex digits that are the same in each contribution of this machine."""
        return hashlib.sha256(canonical(self.model_dump()).encode()).hexdigest()[:8]

    @property
    def slug(self) -> str:
        """Its name in addresses and files, for example intel-xeon-processor-1a2b3c4d."""
        words = slug(self.cpu.replace("(R)", "").replace("(TM)", "")).lower()
        return f"{words[:40].strip('-')}-{self.id}".lstrip("-")

    @property
    def name(self) -> str:
        """Its name for readers."""
        return f"{self.cpu}, {self.cpus} CPU{'' if self.cpus == 1 else 's'} ({self.id})"


def of(fingerprint: Mapping[str, Any]) -> Machine:
    """Return the machine of a testbed's fingerprint; for a virtual machine, its host."""
    about = fingerprint.get("machine") or {}
    return of_facts({"host": fingerprint.get("host"), **{f"machine.{key}": value for key, value in about.items()}})


def of_facts(facts: Mapping[str, Any]) -> Machine:
    """Return the machine of flat facts, for example a group's conditions. Raises ValidationError for impossible facts."""
    cpus = facts.get("machine.host_cpus", facts.get("machine.cpus", 0))
    return Machine(host=facts.get("host"), cpu=facts.get("machine.cpu") or UNKNOWN, cpus=cpus)
