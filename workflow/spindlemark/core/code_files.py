"""Source files that a program of this package imports. Rules list them as inputs, so a change rebuilds their output."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from spindlemark.core.paths import PROJECT

PACKAGE = "spindlemark"
_SOURCES = PROJECT / "workflow"
# A module that calls one of these counts as importing all modules below its folder.
_DYNAMIC = {"import_module", "iter_modules", "walk_packages"}


@cache
def source_files(*programs: str) -> list[str]:
    """Return the paths, relative to the project, of `programs` (module names) and all modules that they import, directly or not.

    Imports within functions and imports for annotations count too. Raises ValueError for an unknown module.
    """
    todo = list(programs)
    for program in programs:
        if _file(program) is None:
            raise ValueError(f"{program}: there is no such module")
    found: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in found and (file := _file(name)):
            found.add(name)
            todo += [name.rpartition(".")[0], *_imports(name, file)]
            if file.name == "__init__.py" and name in programs:
                todo.append(f"{name}.__main__")
    return sorted(str(file.relative_to(PROJECT)) for name in found if (file := _file(name)))


@cache
def _imports(name: str, file: Path) -> tuple[str, ...]:
    """Names that may be modules of this package, which one module imports."""
    return tuple(_named(name, file, ast.parse(file.read_bytes(), str(file))))


def _named(name: str, file: Path, tree: ast.Module) -> Iterator[str]:
    package = name.split(".") if file.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and _called(node.func) in _DYNAMIC:
            yield from (_name(below) for below in file.parent.rglob("*.py"))


def _called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _name(file: Path) -> str:
    return ".".join(file.relative_to(_SOURCES).with_suffix("").parts).removesuffix(".__init__")


@cache
def _file(name: str) -> Path | None:
    if name.split(".")[0] != PACKAGE:
        return None
    place = _SOURCES.joinpath(*name.split("."))
    return next((file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()), None)
