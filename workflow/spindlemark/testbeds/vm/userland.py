"""The host's files that the guest keeps in its memory: the declared programs and the libraries they are linked with.

The guest reads the host's folders through a slow file protocol, and dropping caches drops their pages too: starting `cp`
would take as long as the copy.
"""

import os
import re

from spindlemark.config import Registry
from spindlemark.core.process import programs
from spindlemark.testbeds.vm import accelerator

GROUP = "measure"
# Large, and needed only to start a guest.
_OF_THE_HOST = (accelerator.QEMU, "busybox")
_LIMIT_SECONDS = 60
_LIBRARY = re.compile(r"(?:=> )?(/\S+) \(0x")


def files(registry: Registry) -> list[str]:
    """Paths of the installed programs for measuring and of declared filesystems, and of their libraries."""
    names = {tool.name for tool in programs.declared_tools() if tool.group == GROUP and tool.name not in _OF_THE_HOST}
    for filesystem in registry.filesystems.values():
        names |= {argv[0] for argv in (*filesystem.tools(), filesystem.version) if argv}
    found = sorted(path for path in map(programs.find, names) if path)
    # ldd fails for scripts, so its exit code is ignored.
    linked = programs.run(["ldd", *found], capture_output=True, text=True, timeout=_LIMIT_SECONDS).stdout
    return [*found, *sorted({os.path.realpath(path) for path in _LIBRARY.findall(linked)})]
