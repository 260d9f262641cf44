"""Snapshots of generated sentences, so that a change of wording changes one file per test module.

`./spindlemark test PATH --update-snapshots` writes today's sentences to `snapshots/<module>.yaml` next to each module; review the
change with `git diff`. Numbers and verdicts belong in assertions of the test.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

Sentences = str | list[str] | dict[str, "Sentences"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes the snapshots."""
    parser.addoption("--update-snapshots", action="store_true", help="write the sentences of these tests to snapshots/")


@pytest.fixture
def snapshot(request) -> Callable[..., None]:
    """Compare sentences with those stored for this test; `part` names one of several comparisons."""
    place = request.path.parent / "snapshots" / f"{request.path.stem.removeprefix('test_')}.yaml"
    update = request.config.getoption("--update-snapshots")

    def compare(sentences: Sentences, part: str = "") -> None:
        name = f"{request.node.name}: {part}" if part else request.node.name
        stored = yaml.safe_load(place.read_text()) if place.exists() else {}
        if update and stored.get(name) != sentences:
            _write(place, stored | {name: sentences}, request.path)
        else:
            assert sentences == stored.get(name), "if the new sentences are right, run it with --update-snapshots"

    return compare


def _write(place: Path, stored: dict[str, Sentences], module: Path) -> None:
    """Write the snapshots of a module, without those of tests that it no longer has."""
    tests = set(re.findall(r"^def (test_\w+)", module.read_text(), re.MULTILINE))
    kept = {name: sentences for name, sentences in stored.items() if re.match(r"\w+", name)[0] in tests}
    place.parent.mkdir(exist_ok=True)
    place.write_text(yaml.safe_dump(kept, allow_unicode=True, width=10_000))
