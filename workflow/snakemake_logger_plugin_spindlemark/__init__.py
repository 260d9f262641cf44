"""Logger plugin of Snakemake, found by the name of this package: writes its events as JSON lines.

Used as `--logger spindlemark --logger-spindlemark-file FILE`.
"""

from dataclasses import dataclass, field
from logging import LogRecord
from pathlib import Path

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

from spindlemark.core import events

# Event -> attributes of its log record that are written.
FIELDS = {
    LogEvent.JOB_INFO: ("jobid", "rule_name", "wildcards", "reason"),
    LogEvent.JOB_STARTED: ("jobs",),
    LogEvent.JOB_FINISHED: ("job_id",),
    LogEvent.JOB_ERROR: ("jobid", "rule_name"),
    LogEvent.PROGRESS: ("done", "total"),
    LogEvent.ERROR: ("exception",),
}


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    """Settings of the plugin."""

    file: Path | None = field(
        default=None, metadata={"help": "file to which events are appended", "required": True, "type": Path}
    )


class LogHandler(LogHandlerBase):
    """Appends the events of FIELDS to the file; the ordinary log stays as it is."""

    writes_to_stream = False
    writes_to_file = False  # Snakemake would list it as a log of its own
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def emit(self, record: LogRecord) -> None:
        """Write one event."""
        event = getattr(record, "event", None)
        if event in FIELDS:
            fields = {name: _plain(getattr(record, name, None)) for name in FIELDS[event]}
            events.append(self.settings.file, {"event": str(event), **fields})


def _plain(value: object) -> object:
    """Wildcards as an ordinary dictionary."""
    return dict(value) if hasattr(value, "items") else value
