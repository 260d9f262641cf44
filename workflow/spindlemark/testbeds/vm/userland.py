"""Which of the host's files the guest keeps in its memory: the tools that are timed, and what they are linked with.

The guest sees the host's folders through a slow file protocol, and dropping caches drops what was read of them: to
start `cp` would cost as much as to copy.
"""

import os
import re
import subprocess

from spindlemark import families
from spindlemark.declare import Registry
from spindlemark.tools import find

_ALWAYS = ("sh", "env", "setpriv", "cp", "rm", "sync", "mount", "umount", "blockdev", "modprobe")
_LIMIT_SECONDS = 60
_LIBRARY = re.compile(r"(?:=> )?(/\S+) \(0x")


def files(registry: Registry) -> list[str]:
    """Paths of the tools that any declared filesystem or family calls, where they are here, and of their libraries."""
    names = {*_ALWAYS, *(argv[0] for family in families.names() for argv in families.tools(family).values())}
    for filesystem in registry.filesystems.values():
        names |= {argv[0] for argv in (filesystem.mkfs, filesystem.check, filesystem.version) if argv}
        names |= {f"mount.{filesystem.module}", f"umount.{filesystem.module}"}
    programs = sorted({os.path.realpath(path) for path in map(find, names) if path})
    # Scripts among them have nothing to tell, which ldd calls a failure.
    linked = subprocess.run(["ldd", *programs], capture_output=True, text=True, timeout=_LIMIT_SECONDS,
                            stdin=subprocess.DEVNULL, check=False).stdout
    return sorted({*programs, *(os.path.realpath(path) for path in _LIBRARY.findall(linked))})
