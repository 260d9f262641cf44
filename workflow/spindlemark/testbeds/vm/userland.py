"""Which of the host's files the guest keeps in its memory: the declared programs, and what they are linked with.

The guest sees the host's folders through a slow file protocol, and dropping caches drops what was read of them: to
start `cp` would cost as much as to copy.
"""

import os
import re

from spindlemark.config import Registry
from spindlemark.core.process import programs
from spindlemark.testbeds.vm import accelerator

GROUP = "measure"
# Large, and only there to start a guest.
_OF_THE_HOST = (accelerator.QEMU, "busybox")
_LIMIT_SECONDS = 60
_LIBRARY = re.compile(r"(?:=> )?(/\S+) \(0x")


def files(registry: Registry) -> list[str]:
    """Paths of the programs for measuring and of what any declared filesystem names, where they are here, and of their
    libraries.
    """
    names = {tool.name for tool in programs.declared_tools() if tool.group == GROUP and tool.name not in _OF_THE_HOST}
    for filesystem in registry.filesystems.values():
        names |= {argv[0] for argv in (*filesystem.tools(), filesystem.version) if argv}
    found = sorted(path for path in map(programs.find, names) if path)
    # Scripts among them have nothing to tell, which ldd calls a failure.
    linked = programs.run(["ldd", *found], capture_output=True, text=True, timeout=_LIMIT_SECONDS).stdout
    return [*found, *sorted({os.path.realpath(path) for path in _LIBRARY.findall(linked)})]
