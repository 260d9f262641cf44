"""What must hold for a trial to mean anything, and what is kept of it in the record."""

import os

from spindlemark.families.live_video import analysis
from spindlemark.families.live_video.live_trial import Played
from spindlemark.harness.repetition import Repetition

ON_TIME = 0.95  # share of the captures that must not be late
_UNREADABLE = 0.05  # of the decoded pictures
_CARRIED = 0.9  # of the encoded bytes: what is on its way at both ends of the seconds that count


def require_sound(repetition: Repetition, played: Played, whole_link: bool = True, restarted: bool = False) -> None:
    """The gates: capture on time, marks readable, all captured, and a link that carried what was shown.

    A link that was narrow or down for a while did not carry all; a sender that was `restarted` did not capture all.
    """
    repetition.require(
        "generator_keeps_up",
        played.on_time >= ON_TIME,
        played.on_time,
        ON_TIME,
        "1",
        "share of the pictures that were captured within half a frame interval",
    )
    shown = sum(len(each.latencies) for each in played.watched)
    unreadable = sum(each.unreadable for each in played.watched)
    share = unreadable / max(1, shown + unreadable)
    repetition.require(
        "content",
        share <= _UNREADABLE,
        share,
        _UNREADABLE,
        "1",
        "share of the decoded pictures whose mark has a wrong checksum",
    )
    captured, due = played.sent[0].captured, len(played.settings[0].frames)
    if not restarted:
        repetition.require(
            "completeness", captured == due, captured, due, "1", "frames captured against those that were due"
        )
    encoded = captured - played.sent[0].skipped
    if whole_link and encoded:
        least = _CARRIED * played.sent[0].encoded_bytes * shown / encoded
        repetition.require(
            "delivered",
            played.sent_bytes >= least,
            played.sent_bytes,
            least,
            "B",
            "bytes that the server's interface sent against what was shown, as encoded",
        )


def load_of(played: Played) -> dict[str, float]:
    """Load of a trial: bits per second that the server sent, and shares of all processors, of the senders, of the receivers
    and of everything that ran.
    """
    seconds = played.settings[0].seconds
    whole = seconds * (os.cpu_count() or 1)
    return {
        "link_bits_per_second": 8 * played.sent_bytes / seconds,
        "senders_cpu_ratio": sum(each.cpu_seconds for each in played.sent) / whole,
        "receivers_cpu_ratio": sum(each.cpu_seconds for each in played.watched) / whole,
        "processors_busy_ratio": played.busy,
    }


def _counted(played: Played) -> dict[str, float | None]:
    """What the watchers of a trial missed, as frames of all of them, and their latencies."""
    watched = played.watched
    shown = any(each.latencies for each in watched)
    return {
        "due": sum(each.due for each in watched),
        **{what: sum(getattr(each, what) for each in watched) for what in ("lost", "late", "repeated")},
        "latency_median_seconds": round(analysis.latency(watched, 50), 6) if shown else None,
        "latency_p99_seconds": round(analysis.latency(watched, 99), 6) if shown else None,
    }


def keep(repetition: Repetition, trials: list[Played]) -> None:
    """What every trial did, and with which rights, for the record."""
    users = {s.user for p in trials for s in p.sent} | {w.user for p in trials for every in p.seen for w in every}
    repetition.note(
        {
            "live.user": ", ".join(sorted(users)),
            "live.capture_real_time": all(s.real_time for p in trials for s in p.sent),
        }
    )
    repetition.attachments["trials"] = [
        {
            "streams": len(p.settings),
            "receivers": p.settings[0].watchers,
            "holds": p.holds,
            "on_time": round(p.on_time, 4),
            "seconds": p.settings[0].seconds,
            **{name: round(value, 4) for name, value in load_of(p).items()},
            **_counted(p),
            "sent_bytes": p.sent_bytes,
            "skipped": sum(s.skipped for s in p.sent),
            "dropped": sum(s.dropped for s in p.sent),
            "watched": [
                {
                    "due": w.due,
                    "lost": w.lost,
                    "late": w.late,
                    "repeated": w.repeated,
                    "unreadable": w.unreadable,
                    "latency_seconds": round(analysis.latency([w], 50), 6) if w.latencies else None,
                }
                for w in p.watched
            ],
        }
        for p in trials
    ]
