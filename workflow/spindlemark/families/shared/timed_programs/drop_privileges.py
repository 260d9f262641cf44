"""What a sender and a watcher give up before they listen, receive or decode: every right of root.

They give it up themselves, and are not started without it as web servers are: Python and its modules may be where no other user
can read, for example in a home folder. So all is loaded first, and opened from the folder that they are in.
"""

import ctypes
import os
import pwd
import signal
import threading

USER = "nobody"
_SET_PDEATHSIG, _SET_NO_NEW_PRIVS = 1, 38  # of linux/prctl.h


def give_up() -> str:
    """Become USER for good, in every thread, and end with the parent still; the name of this process's user.

    Without root there is nothing to give up. Raises OSError where the kernel refuses, KeyError where there is no such user.
    """
    _prctl(_SET_NO_NEW_PRIVS, 1)
    if os.geteuid() == 0:
        user = pwd.getpwnam(USER)
        os.setgroups([])
        os.setresgid(user.pw_gid, user.pw_gid, user.pw_gid)
        os.setresuid(user.pw_uid, user.pw_uid, user.pw_uid)
        _prctl(_SET_PDEATHSIG, signal.SIGKILL)  # which the kernel forgets with the rights
    return pwd.getpwuid(os.geteuid()).pw_name


def before_all_others() -> bool:
    """Ask that this thread runs before all that is not in real time; whether the kernel grants it. A right of root."""
    try:
        os.sched_setscheduler(threading.get_native_id(), os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        return False
    return True


def _prctl(what: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(what, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")
