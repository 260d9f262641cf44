"""Watches one live stream: receives, decodes, and reads the mark of every picture when it could be shown.

A program of its own: `python -P -m spindlemark.live.watcher SETTING NUMBER`. It shows nothing: a picture is shown when
its samples lie decoded in memory.
"""

import sys

from spindlemark.live import clockwork, ends, mark, rights, setting


def main(words: list[str]) -> None:
    """Watch as the setting says, and leave a note of what was seen."""
    given, (number,) = setting.entered(words)
    ends.load(given)
    user = rights.give_up()
    setting.wait_for(given, given.place("sender", "ready"))
    end = ends.watcher(given)
    begin = setting.begun(given, f"watcher-{number}")
    last = begin + given.warm_seconds + given.seconds
    spent = clockwork.Spent(begin + given.warm_seconds, last)
    shown, unreadable = [], 0
    for luma in end.lumas(last + setting.GRACE_SECONDS):
        seen = None if luma is None else mark.read(luma)
        if seen is None:
            unreadable += 1
        else:
            shown.append((seen.number, seen.captured, clockwork.microseconds()))
    setting.note(given, f"watcher-{number}",
                 setting.Seen(shown=shown, unreadable=unreadable, cpu_seconds=spent.seconds(), user=user))
    setting.leave_when_told()


if __name__ == "__main__":
    main(sys.argv[1:])
