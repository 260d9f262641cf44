"""Build the programs that drive libraries of other languages, when a family that measures them is requested.

<implementations.BUILT>/<name>/   the program, and key.txt: the hash of its sources and compilers

Compilers are used where they are present (group `optional` of `envs/apt.yaml`) and never installed. Downloads are pinned by
hashes: Cargo.lock, jars.sha256. A program is built again when its sources or its compiler changed.

Root builds, so every compiler starts in the folder that it writes, with a copy of the sources below: cargo obeys a
`.cargo/config.toml` in its folder and in each one above, and only root can write those. For the same reason cargo has a
folder of its own instead of the user's ~/.cargo. A proxy comes from the environment (HTTPS_PROXY).
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
from spindlemark.families.aaf_scale import pinned_files
from spindlemark.families.aaf_scale.implementations import BUILT, IMPLEMENTATIONS, Implementation

SOURCES = Path(__file__).parent / "programs"
KEY = "key.txt"
_SECONDS = 900
_LOCALE = {"LC_ALL": "C.UTF-8"}
_OBEYED = ("CARGO_BUILD_", "CARGO_TARGET_", "RUSTC", "RUSTFLAGS", "JAVA_TOOL_OPTIONS", "JDK_JAVA", "_JAVA_OPTIONS")


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
            folder(BUILT.parent)  # cargo reads settings there, too
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
    new.mkdir(mode=0o700)  # the sources keep their modes, with which others may write
    source = new / "source"
    try:
        shutil.copytree(SOURCES / name, source)
        _BUILDERS[name](source, new, IMPLEMENTATIONS[name])
        shutil.rmtree(source)
        (new / KEY).write_text(key)
        new.chmod(0o755)
        shutil.rmtree(BUILT / name, ignore_errors=True)
        new.rename(BUILT / name)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _libgsf(source: Path, new: Path, own: Implementation) -> None:
    absent = "the package libgsf-1-dev is not installed"
    flags = _must(["pkg-config", "--cflags", "--libs", "libgsf-1"], own, absent, new).split()
    _must(["gcc", "-O2", "-o", str(new / "compound"), str(source / "compound.c"), *flags], own, "gcc", new)


def _cfb(source: Path, new: Path, own: Implementation) -> None:
    compiler = _must(["cargo", "--version"], own, "cargo", new).strip()
    manifest, target = str(source / "Cargo.toml"), source / "target"
    words = ["build", "--release", "--locked", "--quiet", "--manifest-path", manifest, "--target-dir", str(target)]
    settings = [f"COMPILER={compiler}", f"CARGO_HOME={source / 'cargo'}"]
    _must(["env", *settings, "cargo", *words], own, "cargo", new)
    (target / "release" / "compound").rename(new / "compound")


def _poi(source: Path, new: Path, own: Implementation) -> None:
    try:
        pinned_files.fetch(source / "jars.sha256", new)
    except pinned_files.FetchError as error:
        raise Unsupported(f"{own.title} cannot be driven here: {error}") from None
    # Without annotation processing, the compiler runs no code of the archives.
    words = ["-proc:none", "-cp", f"{new}/*", "-d", str(new), str(source / "Compound.java")]
    _must(["javac", *words], own, "javac", new)


_BUILDERS = {"libgsf": _libgsf, "cfb": _cfb, "poi": _poi}


def _must(argv: list[str], own: Implementation, problem: str, cwd: Path = Path("/")) -> str:
    """The output of a command; raises Unsupported with its error message when it fails."""
    try:
        done = programs.run(argv, env=_environment(), cwd=cwd, text=True, capture_output=True, timeout=_SECONDS)
    except programs.TimeoutExpired:
        raise Unsupported(f"{own.title} cannot be driven here: {problem}: it did not end within {_SECONDS} s") from None
    if done.returncode:
        errors = [line for line in (done.stderr or done.stdout).splitlines() if "rror" in line] or [
            "it printed nothing"
        ]
        raise Unsupported(f"{own.title} cannot be driven here: {problem}: {errors[0].strip()}")
    return done.stdout


def _environment() -> dict[str, str]:
    """That of the caller, without what makes a compiler start other programs."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OBEYED)} | _LOCALE
