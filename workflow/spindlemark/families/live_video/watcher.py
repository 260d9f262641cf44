"""Watches one live stream: receives, decodes, and reads the mark of every picture when it could be shown.

A program of its own: `python -P -m spindlemark.families.live_video.watcher SETTING NUMBER`. It shows nothing: a picture is shown when
its samples are decoded in memory.
"""

import sys
from functools import partial

from spindlemark.families.live_video import frame_mark, stream_ends, stream_setup
from spindlemark.families.shared.timed_programs import clocks, drop_privileges, meeting


def main(words: list[str]) -> None:
    """Watch as the setting says, and leave a note of the frames seen."""
    given, (number,) = stream_setup.entered(words)
    stream_ends.load(given)
    user = drop_privileges.give_up()
    meeting.wait_for(given.place("sender", "ready"), given.wait_seconds)
    end = stream_ends.watcher(given)
    begin = stream_setup.begun(given, f"watcher-{number}")
    last = begin + given.warm_seconds + given.seconds
    spent = clocks.Spent(begin + given.warm_seconds, last)
    clock = partial(clocks.scaled_microseconds, begin, given.clock_rate)
    shown, unreadable = [], 0
    for luma in end.lumas(last + stream_setup.GRACE_SECONDS):
        seen = None if luma is None else frame_mark.read(luma)
        if seen is None:
            unreadable += 1
        else:
            shown.append((seen.number, seen.captured, clock()))
    stream_setup.note(
        given,
        f"watcher-{number}",
        stream_setup.Seen(shown=shown, unreadable=unreadable, cpu_seconds=spent.seconds(), user=user),
    )
    meeting.leave_on_request()


if __name__ == "__main__":
    main(sys.argv[1:])
