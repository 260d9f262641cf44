"""The agent: runs inside the guest and answers requests. It measures with the same driver as the host."""

import json
import os
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

from spindlemark import config
from spindlemark.core import running
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Broken
from spindlemark.core.process import programs
from spindlemark.core.record import Spec
from spindlemark.families import registry as families
from spindlemark.families.shared import media
from spindlemark.harness import environment
from spindlemark.harness.repetition import Repetition
from spindlemark.measure import driver, testbed_trial
from spindlemark.testbeds.vm import exchange, guest

BEAT_SECONDS = 1.0


def main(shared: Path, idle_seconds: float) -> None:
    """Answer requests until none comes for `idle_seconds`; then the machine powers off."""
    guest.create_missing_files()
    running.write_to(shared / exchange.RUNNING)
    (shared / exchange.READY).touch()
    while (request := exchange.next_request(shared, idle_seconds)) is not None:
        number, content = request
        with _Heart(shared / exchange.ALIVE):
            exchange.answer(shared, number, _answered(shared, content))


class _Heart:
    """A thread that shows that the guest is alive while it works."""

    def __init__(self, file: Path) -> None:
        self._file, self._stop = file, threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heart", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _beat(self) -> None:
        while True:
            self._file.write_text(str(time.monotonic_ns()))
            if self._stop.wait(BEAT_SECONDS):
                return


def _answered(shared: Path, request: dict[str, Any]) -> dict[str, Any]:
    try:
        if "trial" in request:
            return {"lacks": _tried(request)}
        return {"record": _measured(shared, request), "broken": guest.broken()}
    except Broken as error:
        return {"ended": str(error)}
    except UserError as error:
        return {"problem": error.problem, "remedy": error.remedy}
    except programs.TimeoutExpired as error:  # it hangs in the kernel
        return {"failed": f"a command could not be ended: {error}"}
    except Exception:  # the host must get every error
        return {"defect": traceback.format_exc()}


def _tried(request: dict[str, Any]) -> list[str]:
    return testbed_trial.try_settings(_repetition(request), **request["trial"])


def _repetition(request: dict[str, Any]) -> Repetition:
    spec = Spec.model_validate(request["spec"])
    if os.uname().release != spec.experiment.fingerprint["kernel"]:
        raise RuntimeError(f"the guest runs {os.uname().release}, not {spec.experiment.fingerprint['kernel']}")
    registry = config.Registry.model_validate(request["registry"])
    guest.expect(request["serial"])
    return Repetition(
        spec,
        request["repetition"],
        registry,
        registry.testbeds[spec.experiment.testbed],
        families.metrics(spec.experiment.family),
        request["limit_seconds"],
    )


def _measured(shared: Path, request: dict[str, Any]) -> dict[str, Any]:
    repetition = _repetition(request)
    sources = Path(repetition.declared.source_directory)
    if request["forget"]:
        media.clear(sources)
    if request["library"]:
        _unpack(shared / request["library"], media.folder(sources))
    record = driver.run_family(repetition, environment.machine() | request["environment"])
    return record.model_dump(mode="json")


def _unpack(archive: Path, folder: Path) -> None:
    programs.run(["tar", "-C", str(folder), "-xf", str(archive)], check=True)


if __name__ == "__main__":
    # Modules that are not in the archive are loaded from the host's folders, which is slow.
    sys.path += json.loads(sys.argv[3])
    main(Path(sys.argv[1]), float(sys.argv[2]))
