"""The trial of a testbed before a run: what will be unsupported is known before the first repetition."""

import json
import os
from collections.abc import Callable

from spindlemark import config
from spindlemark.core import running
from spindlemark.core.outcome import Outcome
from spindlemark.core.process.lock import machine_lock
from spindlemark.core.record import Spec, canonical
from spindlemark.families import shared_factors as factors
from spindlemark.harness.repetition import Repetition
from spindlemark.measure.cleaning import before_measuring
from spindlemark.measure.driver import FUNCTIONS, opening
from spindlemark.measure.preconditions import require_able
from spindlemark.testbeds import kernel_modules, kind, memory


def trial(specs: list[Spec], alone: bool, resident: bool = True) -> list[str]:
    """Try one testbed as the repetitions of `specs` will use it: largest device, each way to open it, each module.

    Returns the reasons for which experiments will be unsupported. Everything is cleaned up, unless the testbed is `alone`
    in the run, since a waiting virtual machine would disturb the others. `resident`: make free memory resident first
    (testbeds.memory). Raises as `driver.measure` does when nothing can be measured on the testbed.
    """
    registry = config.load()
    name = specs[0].experiment.testbed
    declared = config.choose(registry.testbeds, name, "testbed", "config/testbeds/")
    require_able(declared)
    largest = max(specs, key=lambda spec: spec.experiment.fingerprint["device"]["bytes"])
    settings = [json.loads(text) for text in sorted({canonical(opening(spec, declared)) for spec in specs})]
    modules = sorted(
        {needed for spec in specs for needed in factors.modules(spec.experiment.family, spec.experiment.factors)}
    )
    with machine_lock(purpose=f"testbed {name}") as lock:
        before_measuring(name, declared)
        repetition = Repetition(largest, 1, registry, declared, inherit=(lock,))
        try:
            if resident:
                memory.keep(lambda: running.write(largest, 1, "making memory resident", repetition.started))
            running.write(largest, 1, "trial", repetition.started)
            remote = kind.of(declared).remote
            return (
                remote.trial(repetition, settings, modules, FUNCTIONS)
                if remote
                else try_settings(repetition, settings, modules, lambda: kind.settle(name, declared))
            )
        finally:
            (kind.settle if alone else kind.of(declared).clean)(name, declared)
            running.remove()


def try_settings(
    repetition: Repetition,
    settings: list[kind.Settings],
    modules: list[str],
    settle: Callable[[], None] = lambda: None,
) -> list[str]:
    """Run the trial on the computer that has the device; `settle` removes what an opened testbed leaves."""
    name, declared = repetition.spec.experiment.testbed, repetition.declared
    size = repetition.spec.experiment.fingerprint["device"]["bytes"]
    lacking = []
    for setting in settings:
        try:
            with kind.of(declared).opened(name, declared, size, setting, repetition.run):
                pass
        except Outcome as outcome:  # other settings may work
            lacking.append(outcome.reason)
        settle()
    return lacking + [
        f"kernel {os.uname().release} has no {module}" for module in modules if not kernel_modules.loads(module)
    ]
