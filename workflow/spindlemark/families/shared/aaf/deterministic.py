"""pyaaf2 without chance: identifiers, clocks and order of siblings come from a seed, so that the same bytes come out each time.

pyaaf2 asks uuid4, the wall clock and `random` by their names in its own modules. Those names are what is changed, for the
length of a `with`; nothing of the library itself is.
"""

import random
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from types import ModuleType, SimpleNamespace
from typing import Any, Self

import aaf2.cfb
import aaf2.file
import aaf2.mobid
import aaf2.mobs


class _Clock(datetime):
    """A datetime whose `now` is always the day of study 000."""

    @classmethod
    def now(cls, tz: Any = None) -> Self:
        return cls(2005, 4, 5)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """What pyaaf2 writes within the `with` depends on `seed` and the calls alone. Not for several threads."""
    chance = random.Random(seed)

    def identifier() -> uuid.UUID:
        return uuid.UUID(int=chance.getrandbits(128), version=4)

    with ExitStack() as stack:
        for module, names in (
            (aaf2.file, {"uuid4": identifier, "datetime": SimpleNamespace(datetime=_Clock)}),
            (aaf2.mobid, {"uuid": SimpleNamespace(uuid4=identifier, UUID=uuid.UUID)}),
            (aaf2.mobs, {"datetime": _Clock}),
            (aaf2.cfb, {"random": chance}),
        ):
            stack.enter_context(changed(module, names))
        yield


@contextmanager
def changed(module: ModuleType, names: dict[str, Any]) -> Iterator[None]:
    """Give names in a module another meaning for a while."""
    before = {name: getattr(module, name) for name in names}
    vars(module).update(names)
    try:
        yield
    finally:
        vars(module).update(before)
