"""Implementations: the libraries that read, and mostly write, compound files, each with the program that drives it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from spindlemark.core.compound_files import WRITES
from spindlemark.core.private_files import STATE
from spindlemark.core.process import programs

BUILT = STATE / "containers"  # a folder for each program that is built here
JAVA_QUIET = "-Dlog4j2.loggerContextFactory=org.apache.logging.log4j.simple.SimpleLoggerContextFactory"


@dataclass(frozen=True)
class Implementation:
    """A library. `writes`: the sectors that it writes, in bytes; `command`: the command line of its program.

    `needs`: the programs that build or run it -> the package of each; `made`: what building leaves, None in Python.
    `reads_up_to`: sources of the largest file of another library that it is given; None for any. `reader_factor`: how many
    times the profile's `reader_seconds` it may take for that.
    """

    title: str
    language: str
    writes: tuple[int, ...]
    command: tuple[str, ...]
    versions: Mapping[str, tuple[str, ...]]
    needs: Mapping[str, str] = field(default_factory=dict)
    made: Path | None = None
    reads_up_to: int | None = None
    reader_factor: int = 1

    def here(self) -> bool:
        """Whether its program can be started."""
        return programs.find(self.command[0]) is not None and (self.made is None or self.made.exists())


def _python(package: str, reads_up_to: int | None = None) -> Implementation:
    return Implementation(
        package,
        "Python",
        WRITES[package],
        (*programs.PYTHON, "-m", f"spindlemark.families.aaf_scale.{package}_program"),
        {package: programs.version_of(package)},
        reads_up_to=reads_up_to,
    )


def _native(
    name: str, language: str, needs: dict[str, str], compiler: dict[str, tuple[str, ...]], reader_factor: int = 1
) -> Implementation:
    program = BUILT / name / "compound"
    programs.declare([str(program)], name)
    versions = {name: (str(program), "version")} | compiler
    return Implementation(
        name, language, WRITES[name], (str(program),), versions, needs, program, reader_factor=reader_factor
    )


def _java(name: str) -> Implementation:
    folder = BUILT / name
    command = ("java", JAVA_QUIET, "-cp", f"{folder}/*:{folder}", "Compound")
    versions = {name: (*command, "version"), "java": ("java", "-version")}
    needs = {"javac": "default-jdk-headless", "java": "default-jre-headless"}
    made = folder / "Compound.class"
    return Implementation("Apache POI", "Java", WRITES[name], command, versions, needs, made, reads_up_to=4000)


IMPLEMENTATIONS = {
    # Above 6,300 sources it is the only other library that reads sectors of 512 bytes, and needs more than a minute.
    "libgsf": _native(
        "libgsf", "C", {"gcc": "gcc", "pkg-config": "pkg-config"}, {"gcc": ("gcc", "-dumpfullversion")}, reader_factor=5
    ),
    "cfb": _native("cfb", "Rust", {"cargo": "cargo"}, {"cargo": (str(BUILT / "cfb" / "compound"), "compiler")}),
    "poi": _java("poi"),
    "pyaaf2": _python("pyaaf2"),
    "olefile": _python("olefile", reads_up_to=2500),
}
