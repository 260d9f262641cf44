"""`new family NAME`: write the files of a benchmark family, from templates that work as they are."""

import keyword
import re
from pathlib import Path

from spindlemark.core import declared, paths
from spindlemark.core.errors import UserError
from spindlemark.core.process import programs

TEMPLATES = Path(__file__).parent / "templates"
FILES = {
    "family.txt": "workflow/spindlemark/families/{name}/family.py",
    "experiments.txt": "config/experiments/{name}.yaml",
    "questions.txt": "config/questions/{name}.yaml",
    "method.txt": "docs/methods/{name}.md",
    "test.txt": "tests/workflow/test_{name}.py",
}
_LAYERS = re.compile(r'^(  "aaf_scale \| [a-z0-9_ |]+)",$', re.MULTILINE)
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_LONGEST_NAME = 40


def text(template: str, name: str) -> str:
    """The content of a template for the family `name`."""
    return (TEMPLATES / template).read_text(encoding="utf-8").replace("NAME", name)


def write(name: str, root: Path = paths.ROOT) -> list[Path]:
    """Write every file of the family and return their paths; raises UserError and writes nothing if one exists."""
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME or keyword.iskeyword(name):
        raise UserError(f"{name!r} is not a valid name of a family", "use lower-case words, for example file_creation")
    folder = root / "workflow/spindlemark/families" / name
    made = {root / path.format(name=name): text(template, name) for template, path in FILES.items()}
    made[folder / "__init__.py"] = f'"""The family `{name}`; see family.py."""\n'
    for path in (folder, *made):
        if path.exists():
            raise UserError(f"{path}: already exists", "choose another name, or remove it")
    project = root / "pyproject.toml"
    listed = _LAYERS.sub(rf'\1 | {name}",', project.read_text(encoding="utf-8"))
    for path, content in made.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
    project.write_text(listed, encoding="utf-8")  # the import contract lists each family
    # A new process, since this one has already listed the families.
    programs.run([*programs.PYTHON, "-m", "spindlemark.cli.schemas"], cwd=root, check=True)
    return [*made, project, declared.FILE]
