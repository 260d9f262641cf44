"""Build the programs that drive libraries of other languages, when a family that measures them is requested.

<implementations.BUILT>/<name>/   the program, and key.txt: the hash of its sources and compilers

Compilers are used where they are present (group `optional` of `envs/apt.yaml`) and never installed. Downloads are pinned by
hashes: Cargo.lock, jars.sha256. A program is built again when its sources or its compiler changed. cargo and Maven use
their usual caches and the mirrors that the user has configured.
"""

import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from spindlemark.core.outcome import Unsupported
from spindlemark.core.private_files import folder
from spindlemark.core.process import programs
from spindlemark.core.process.lock import file_lock
from spindlemark.families.aaf_scale.implementations import BUILT, IMPLEMENTATIONS, Implementation

SOURCES = Path(__file__).parent / "programs"
KEY = "key.txt"
_SECONDS = 900
_LOCALE = {"LC_ALL": "C.UTF-8"}


def make(names: Iterable[str]) -> list[str]:
    """Build the missing or outdated programs of the implementations `names`; needs root.

    Returns one message for each program that could not be built: experiments with it are unsupported.
    """
    failed = []
    for name in sorted(set(names)):
        if IMPLEMENTATIONS[name].made is None:
            continue
        try:
            key = _key(name)
            with file_lock(folder(BUILT) / ".lock", "the folder of built programs", _SECONDS, "building programs"):
                if not _is_made(name, key):
                    _make(name, key)
        except Unsupported as unsupported:
            failed.append(unsupported.reason)
    return failed


def missing(implementation: Implementation) -> str | None:
    """The missing packages that build or run it, as a message; None if there are none."""
    needs = implementation.needs.items()
    absent = [f"{tool} (package {package})" for tool, package in needs if programs.find(tool) is None]
    return f"{', '.join(absent)} is not installed" if absent else None


def _key(name: str) -> str:
    """The hash of the program's sources and compilers; raises Unsupported if a tool is missing."""
    own = IMPLEMENTATIONS[name]
    if lacks := missing(own):
        raise Unsupported(f"{own.title} cannot be driven here: {lacks}")
    digest = hashlib.sha256()
    for path in sorted(path for path in (SOURCES / name).rglob("*") if path.is_file()):
        digest.update(path.relative_to(SOURCES).as_posix().encode() + path.read_bytes())
    for tool in own.needs:
        digest.update(_must([tool, "--version"], own, tool).encode())
    return digest.hexdigest()


def _is_made(name: str, key: str) -> bool:
    note = BUILT / name / KEY
    return note.is_file() and note.read_text() == key


def _make(name: str, key: str) -> None:
    print(f"Building the program that drives {IMPLEMENTATIONS[name].title}, below {BUILT}", flush=True)
    new = BUILT / f".{name}.partial"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(mode=0o755)
    try:
        _BUILDERS[name](SOURCES / name, new, IMPLEMENTATIONS[name])
        (new / KEY).write_text(key)
        shutil.rmtree(BUILT / name, ignore_errors=True)
        new.rename(BUILT / name)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _libgsf(source: Path, new: Path, own: Implementation) -> None:
    absent = "the package libgsf-1-dev is not installed"
    flags = _must(["pkg-config", "--cflags", "--libs", "libgsf-1"], own, absent).split()
    _must(["gcc", "-O2", "-o", str(new / "compound"), str(source / "compound.c"), *flags], own, "gcc")


def _cfb(source: Path, new: Path, own: Implementation) -> None:
    target, compiler = new / "target", _must(["cargo", "--version"], own, "cargo")
    _must(
        [
            "env",
            f"COMPILER={compiler.strip()}",
            "cargo",
            "build",
            "--release",
            "--locked",
            "--quiet",
            "--manifest-path",
            str(source / "Cargo.toml"),
            "--target-dir",
            str(target),
        ],
        own,
        "cargo",
    )
    (target / "release" / "compound").rename(new / "compound")
    shutil.rmtree(target)


def _poi(source: Path, new: Path, own: Implementation) -> None:
    _must(
        [
            "mvn",
            "--batch-mode",
            "--quiet",
            "--file",
            str(source / "pom.xml"),
            "dependency:copy-dependencies",
            "-DincludeScope=runtime",
            f"-DoutputDirectory={new}",
        ],
        own,
        "Maven",
    )
    lines = (source / "jars.sha256").read_text().splitlines()
    wanted = {name: digest for digest, name in map(str.split, lines)}
    came = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in new.glob("*.jar")}
    if came != wanted:
        wrong = sorted(name for name in wanted.keys() | came.keys() if wanted.get(name) != came.get(name))
        raise Unsupported(
            f"{own.title} cannot be driven here: Maven fetched archives that differ from jars.sha256: {', '.join(wrong)}"
        )
    _must(["javac", "-cp", f"{new}/*", "-d", str(new), str(source / "Compound.java")], own, "javac")


_BUILDERS = {"libgsf": _libgsf, "cfb": _cfb, "poi": _poi}


def _must(argv: list[str], own: Implementation, problem: str) -> str:
    """The output of a command; raises Unsupported with its error message when it fails."""
    try:
        done = programs.run(argv, env=os.environ | _LOCALE, text=True, capture_output=True, timeout=_SECONDS)
    except programs.TimeoutExpired:
        raise Unsupported(f"{own.title} cannot be driven here: {problem}: it did not end within {_SECONDS} s") from None
    if done.returncode:
        errors = [line for line in (done.stderr or done.stdout).splitlines() if "rror" in line] or [
            "it printed nothing"
        ]
        raise Unsupported(f"{own.title} cannot be driven here: {problem}: {errors[0].strip()}")
    return done.stdout
