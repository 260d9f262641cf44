"""Find words in the project's prose and names that docs/style/ replaces.

`python tests/helpers/language.py` lists them, `python tests/helpers/language.py PATH...` those of some files or folders.
`python tests/helpers/language.py --lower` lowers the counts in docs/style/baseline.json to today's; it never raises one.
"""

import ast
import json
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).resolve().parents[2]
STYLE = ROOT / "docs/style"
BASELINE = ROOT / "docs/style/baseline.json"

# Releases never change; a study's data quotes its author; schemas and locks are generated.
NOT_OURS = ("data/", "docs/style/", "tests/recorded/", "tests/validators/", "workflow/schemas/", "envs/node/")
OURS = ("data/reference/README.md",)
PROSE = (".md", ".html", ".sql", ".smk", ".yaml", ".yml", ".example", ".gotmpl")
# What is not prose: actions and tags of templates, addresses, code in backticks, keys and lists in YAML, SQL outside its comments.
MARKUP = re.compile(r"\{\{-?(?!-?\s*/\*).*?\}\}|<(?!!--)[^>]*>|https?://\S+|\]\([^)]*\)", re.S)
CODE = re.compile(r"`[^`\n]*`")
KEY = re.compile(r"^\s*(?:- )?[\w./@+-]+:(?= |$)", re.M)
VALUES = re.compile(r"(?<=: )\[[^\]\n]*\]")
STATEMENT = re.compile(r"^(?:(?!--).)*", re.M)


class Finding(NamedTuple):
    """One word that has a replacement."""

    file: str
    line: int
    word: str
    use: str


class Rules:
    """The replacements of one file in docs/style/."""

    def __init__(self, file: str) -> None:
        swap = yaml.safe_load((STYLE / file).read_text())["swap"]
        self.rules = [(re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.I), use) for pattern, use in swap.items()]

    def find(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield each word with its replacement."""
        for pattern, use in self.rules:
            yield from ((found[0].strip(), use) for found in pattern.finditer(text))


def files(paths: list[str]) -> list[str]:
    """List the tracked text files of the project, relative to its root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *paths],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}
    return sorted(name for name in names if _checked(name))


def _checked(name: str) -> bool:
    if name.startswith(NOT_OURS) and name not in OURS:
        return False
    if "/snapshots/" in name:  # generated: the code that writes the sentences is checked
        return False
    return name.endswith(PROSE) or name == "Snakefile" or (name.endswith(".py") and name.startswith("workflow/"))


def findings(name: str, words: Rules, names: Rules) -> list[Finding]:
    """Check one file: prose everywhere, and the names that Python code defines."""
    text = (ROOT / name).read_text(encoding="utf-8")
    if name.endswith(".py"):
        found = [Finding(name, line, *hit) for line, prose in python_prose(text) for hit in words.find(prose)]
        found += [Finding(name, line, *hit) for line, part in python_names(text) for hit in names.find(part)]
        return sorted(found)
    lines = enumerate(prose_of(name, text).splitlines(), 1)
    return [Finding(name, number, *hit) for number, line in lines for hit in words.find(line)]


def prose_of(name: str, text: str) -> str:
    """Remove what is not prose from a file, and keep its lines."""
    patterns = [CODE]
    if name.endswith((".md", ".html", ".gotmpl")):
        patterns.append(MARKUP)
    if name.endswith((".yaml", ".yml", ".example")):
        patterns += [VALUES, KEY]
    if name.endswith(".sql"):
        patterns.append(STATEMENT)
    for pattern in patterns:
        text = pattern.sub(lambda found: "\n" * found[0].count("\n"), text)
    return text


def python_prose(source: str) -> Iterator[tuple[int, str]]:
    """Yield each line of a comment, a docstring or a text with a space in it, without what backticks enclose."""
    for token in tokenize.generate_tokens(StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], CODE.sub("", token.string)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            for number, line in enumerate(node.value.splitlines()):
                yield node.lineno + number, CODE.sub("", line)


def python_names(source: str) -> Iterator[tuple[int, str]]:
    """Yield the parts of each name that a module defines: of functions, classes, arguments and variables."""
    for node in ast.walk(ast.parse(source)):
        name = _defined(node)
        if name:
            parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", name)
            yield node.lineno, parts


def _defined(node: ast.AST) -> str | None:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    if isinstance(node, ast.arg):
        return node.arg
    return node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else None


def check(paths: list[str]) -> list[Finding]:
    """Check files and folders; all of the project without one."""
    words, names = Rules("words.yaml"), Rules("names.yaml")
    return [found for name in files(paths) for found in findings(name, words, names)]


def baseline() -> Counter:
    """Read how many words each file may still have."""
    return Counter(json.loads(BASELINE.read_text()))


def lowered(old: Counter, new: Counter) -> Counter:
    """Lower each count to today's. A file that moved brings along what its former place had.

    Raises SystemExit where a file has more words than it may.
    """
    free = sum(count for name, count in old.items() if not (ROOT / name).is_file())
    above = {name: count - old[name] for name, count in new.items() if count > old[name]}
    moved = sum(above.values())
    if any(old[name] for name in above) or moved > free:
        raise SystemExit(f"a count only goes down; more than before: {above}")
    return Counter(new)


def main(words: list[str]) -> None:
    """Print findings as file:line: word -> use, or lower the baseline."""
    found = check([word for word in words if not word.startswith("-")])
    if "--lower" in words:
        counts = lowered(baseline(), Counter(one.file for one in found))
        BASELINE.write_text(json.dumps(dict(sorted(counts.items())), indent=1) + "\n")
        print(f"{counts.total()} words in {len(counts)} files")
        return
    for one in found:
        print(f"{one.file}:{one.line}: {one.word} -> {one.use}")


if __name__ == "__main__":
    main(sys.argv[1:])
