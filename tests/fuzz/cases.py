"""Cases of one kind, one after the other, in a process of its own: `python cases.py KIND SEED COUNT`.

A case may succeed, or end with a UserError in words that fit a screen. Anything else is a defect: it is printed with
the number of its case. A case that hangs ends the process, with the place where it hung.
"""

import copy
import faulthandler
import io
import json
import os
import random
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import yaml

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "helpers")]

import nonsense
from rich.console import Console
from typer.testing import CliRunner

import factory
from spindlemark import config
from spindlemark.analysis import database
from spindlemark.analysis.findings import findings_files, settings
from spindlemark.analysis.studies.claim_model import Claims
from spindlemark.analysis.studies.source_model import Source
from spindlemark.cli import main as cli
from spindlemark.cli import serve, snakemake_process
from spindlemark.cli.terminal import sample_table
from spindlemark.core import (
    paths,
    running,
)
from spindlemark.core.errors import UserError
from spindlemark.core.record import Experiment, read_record, read_spec, records_in
from spindlemark.measure import pending, plan
from spindlemark.release import manifest
from spindlemark.release.citation import citation_model as citation
from spindlemark.testbeds import fingerprint as testbed_fingerprint

SECONDS_PER_CASE = 120  # a hang lasts for ever, and a busy machine is none
LONGEST_MESSAGE = 3000
RECORDS_PER_DATABASE = 40
FINGERPRINT = {
    "kernel": "6.1",
    "machine": {},
    "tools": {},
    "default_scheduler": "none",
    "device": {"kind": "loop", "bytes": 2 << 30},
}
WORDS = [
    "plan",
    "show",
    "run",
    "site",
    "serve",
    "release",
    "--profile",
    "--testbed",
    "--repetitions",
    "--family",
    "--only",
    "--until-decided",
    "--once",
    "--again",
    "--budget",
    "--erase",
    "--port",
    "--yes",
    "--help",
    "--",
    "-x",
    "quick",
    "loop",
    "ext4",
    "aging",
    "3",
    "2026.11",
    *(str(value) for value in nonsense.VALUES),
    "\udcff",
    "-1",
    "1e9",
    "0x10",
    "٣",
]


class Asked(UserError):
    """A command got as far as its work."""


def refuse(*_: object, **__: object) -> None:
    """In place of what measures, builds or serves."""
    raise Asked("it would begin", "nothing")


class Declarations:
    """Every file below `config/`, and those of the studies."""

    def __init__(self, place: Path) -> None:
        import shutil

        self.config = Path(shutil.copytree(paths.CONFIG, place / "config"))
        (self.config / "testbeds" / "disk.yaml").write_text((paths.CONFIG / "testbeds/disk.yaml.example").read_text())
        shutil.copytree(paths.REFERENCE, place / "reference")
        studies = sorted(place.glob("reference/*/source.yaml")) + sorted(place.glob("reference/*/claims.yaml"))
        self.files = sorted(self.config.rglob("*.yaml")) * 4 + studies
        self.good = {path: path.read_text(encoding="utf-8") for path in self.files}

    def run(self, rng: random.Random) -> None:
        """One file is changed, or something else lies in its place; all are read, and the plan is made."""
        path = rng.choice(self.files)
        good = self.good[path]
        try:
            if rng.random() < 0.02:
                self._replace(rng, path)
            elif rng.random() < 0.5:
                path.write_text(nonsense.text(rng, good), encoding="utf-8", errors="surrogateescape")
            else:
                changed = nonsense.values(rng, yaml.safe_load(good))
                path.write_text(yaml.safe_dump(changed, allow_unicode=True, sort_keys=False), encoding="utf-8")
            self._read(rng, path)
        finally:
            if path.is_dir():
                path.rmdir()
            path.unlink(missing_ok=True)
            path.write_text(good, encoding="utf-8")

    def _replace(self, rng: random.Random, path: Path) -> None:
        path.unlink()
        rng.choice(
            [
                path.mkdir,
                lambda: os.mkfifo(path),
                lambda: path.symlink_to(path.name),
                lambda: path.symlink_to("/dev/zero"),
                lambda: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 1 << 31),
                lambda: path.write_bytes(rng.randbytes(5000)),
                path.touch,
            ]
        )()

    def _read(self, rng: random.Random, path: Path) -> None:
        if path.name == "recommendations.yaml":
            settings.load(path)
        elif path.name == "citation.yaml":
            citation.load(path)
        elif self.config not in path.parents:
            config.read_yaml(path, Source if path.name == "source.yaml" else Claims)
        else:
            profile, testbed = (
                rng.choice([None, None, None, "standard", "full"]),
                rng.choice([None, None, "vm", "disk"]),
            )
            request = plan.Request(profile=profile, testbed=testbed)
            made, specs = plan.make(config.load(self.config), request)
            pending.seconds_of(pending.missing(made, self.config), {spec.identity: spec for spec in specs}, self.config)


class Records:
    """Specs and records: half of them carry the identity of what they have become."""

    def __init__(self, place: Path) -> None:
        self.place, self.number, self.readable = place, 0, []
        self.good = [
            json.loads(factory.record(factory.experiment(fs, "sound")).model_dump_json()) for fs in ("ext4", "xfs")
        ]

    def run(self, rng: random.Random) -> None:
        """One record is changed, read, shown, and with others of its kind put into a database."""
        self.number += 1
        changed = nonsense.values(rng, copy.deepcopy(rng.choice(self.good)))
        path = self._written(rng, changed)
        record = read_record(path)
        sample_table._samples_of(Console(file=io.StringIO(), force_terminal=True), [record])
        pending.differences(record.experiment.model_dump(mode="json"), self.good[0]["experiment"])
        self.readable.append(path)
        if len(self.readable) >= RECORDS_PER_DATABASE:
            batch, self.readable = self.readable, []
            database.build(batch, self.place / "x.duckdb")

    def _written(self, rng: random.Random, changed: object) -> Path:
        text, identity = json.dumps(changed), "0123456789ab"
        try:
            experiment = Experiment.model_validate(changed["experiment"])
            identity = experiment.identity()
            if rng.random() < 0.8:
                text = json.dumps(changed | {"identity": identity})
        except (TypeError, KeyError, ValueError):
            experiment = factory.experiment()
        if rng.random() < 0.3:
            text = nonsense.text(rng, text)
        folder = (
            self.place / str(self.number) / experiment.testbed / experiment.family / experiment.experiment / identity
        )
        folder.mkdir(parents=True)
        (folder / "rep-1.json").write_text(text, encoding="utf-8", errors="surrogatepass")
        if rng.random() < 0.1:
            (folder / rng.choice(["rep-2 (copy).json", "rep-0.json", "rep-x.json"])).mkdir()
        spec = {"identity": identity, "experiment": changed.get("experiment") if isinstance(changed, dict) else changed}
        (folder / "spec.json").write_text(json.dumps(spec))
        with suppress(UserError):
            read_spec(folder / "spec.json")
        return records_in(folder)[0]


class Notes:
    """Files that stages leave for one another: the plan, what a call measures, what runs, findings, a release's manifest."""

    def __init__(self, place: Path) -> None:
        self.place = place
        release = max(paths.RELEASES.glob("*/manifest.json")).parent
        made, specs = plan.make(config.load(), plan.Request(family="aging"))
        running.write_to(place / "running.json")
        paths.RUNNING = place / "running.json"
        running.write(specs[0], 1, "copy", factory.START)
        self.made = made
        self.good = {
            pending.PROVENANCE: pending.provenance_of(pending.missing(made), "a", 1).model_dump_json(),
            "plan.json": made.model_dump_json(),
            "running.json": (place / "running.json").read_text(),
            "manifest.json": (release / "manifest.json").read_text(),
            "findings.json": findings_files.content(release).decode(),
        }

    def run(self, rng: random.Random) -> None:
        """One file is changed and read, as what comes after it does."""
        name = rng.choice(
            ["plan.json"] * 4
            + [pending.PROVENANCE] * 2
            + ["running.json"] * 4
            + ["manifest.json"] * 2
            + ["findings.json"]
        )
        path = self.place / name
        good = self.good[name]
        changed = nonsense.text(rng, good) if rng.random() < 0.5 else json.dumps(nonsense.values(rng, json.loads(good)))
        path.write_text(changed, encoding="utf-8", errors="surrogatepass")
        if name == "plan.json":
            found = plan.read(path)
            pending.missing(found)
            pending.existing_records(found)
        elif name == pending.PROVENANCE:
            for job in pending.requested(self.made, self.place)[0]:
                (self.place / job.record).exists()
        elif name == "running.json":
            list(running.crashed_folders())
            running.read()
        elif name == "manifest.json":
            manifest.read(self.place)
        else:
            findings_files.read(path)


class Arguments:
    """Words on the command line."""

    def __init__(self, place: Path) -> None:
        snakemake_process.only_one = serve.forever = refuse
        self.runner = CliRunner()

    def run(self, rng: random.Random) -> None:
        """Parsed as the program does, up to the work of a command that changes something."""
        words = [
            rng.choice(["plan", "show", "run", "site", "serve", "release"]),
            *rng.choices(WORDS, k=rng.randrange(6)),
        ]
        result = self.runner.invoke(cli.app, words)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        if result.exit_code not in (0, 2):
            raise AssertionError(f"exit code {result.exit_code} of {words}")


KINDS: dict[str, Callable] = {"declarations": Declarations, "records": Records, "notes": Notes, "arguments": Arguments}


def main(kind: str, seed: str, count: int) -> int:
    """Run the cases; returns the number of defects."""
    # What this machine is takes long to find out, and is no input.
    testbed_fingerprint.of = lambda *_: FINGERPRINT
    defects = 0
    with tempfile.TemporaryDirectory() as place:
        cases = KINDS[kind](Path(place))
        for number in range(count):
            print(f"case {number}", flush=True)
            faulthandler.dump_traceback_later(SECONDS_PER_CASE, exit=True)
            try:
                cases.run(random.Random(f"{kind} {seed} {number}"))
            except UserError as error:
                if len(str(error)) > LONGEST_MESSAGE or not str(error).translate({9: None, 10: None}).isprintable():
                    print(f"DEFECT in case {number}: told as {str(error)[:LONGEST_MESSAGE]!r}")
                    defects += 1
            except BaseException:
                print(f"DEFECT in case {number}:\n{traceback.format_exc()[-LONGEST_MESSAGE:]}")
                defects += 1
            faulthandler.cancel_dump_traceback_later()
    return defects


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1], sys.argv[2], int(sys.argv[3])), 100))
