"""`python -m spindlemark.site.hugo --pages DIR --output HTML_DIR`: Hugo turns one version's data into HTML."""

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from spindlemark.core import paths
from spindlemark.core.errors import UserError, command
from spindlemark.core.process import programs
from spindlemark.site import packed_pages, page_parts, watchdog
from spindlemark.site.replace_folder import linked, swapped

TEMPLATES = paths.ROOT / "site"
EVERYWHERE = ("cited", "errata", "version")  # data that every page needs
# Pages that are built in parts: their section, and the other data that they need.
PARTS = {
    "experiments": ("experiment", ()),
    "libraries": ("library", ("then",)),
    "questions": ("question", ("then",)),
}
# A part needs about 100 MB of memory; fewer garbage collections save a fifth of Hugo's CPU time.
FEWER_COLLECTIONS = {"GOGC": "400", "GOMEMLIMIT": "2GiB"}
NO_KINDS = ("taxonomy", "term", "rss", "sitemap", "robotsTXT")


def build(pages: Path, engine: Path, output: Path) -> None:
    """Build the HTML of one version from `pages`, written by `spindlemark.site`, and `engine`, fetched by sql_engine.

    Raises UserError if `pages` is incomplete, RuntimeError with Hugo's output if a template fails.
    """
    if not (pages / "data" / "version.json").exists():
        raise UserError(f"{pages}: has no pages", "write them: python -m spindlemark.site --help")
    with tempfile.TemporaryDirectory(prefix="spindlemark-hugo-") as work, swapped(output) as folder:
        sql = {"source": str(engine.resolve()), "target": "assets/js/sql/engine"}
        _hugo(
            [*_mounts(TEMPLATES, "content", "layouts", "assets", "static"), *_mounts(pages, "data", "assets"), sql],
            folder.resolve(),
            Path(work),
        )
        for part in sorted((pages / page_parts.FOLDER).glob("*")):
            _part(pages, part, folder.resolve(), Path(work))
        packed_pages.pack(folder)
        linked(pages / "static", folder)


def _part(pages: Path, part: Path, folder: Path, work: Path) -> None:
    """Build some pages of one kind, with only the data that they show."""
    section, needed = PARTS[part.name.rpartition("-")[0]]
    data = [*(pages / "data" / f"{name}.json" for name in (*EVERYWHERE, *needed)), *part.glob("*.json")]
    _hugo(
        [
            *_mounts(TEMPLATES, f"content/{section}/_content.gotmpl", "layouts", "assets", "static"),
            *_mounts(pages, "assets"),
            *({"source": str(file.resolve()), "target": f"data/{file.name}"} for file in data),
        ],
        folder,
        work,
        disableKinds=[*NO_KINDS, "home", "section", "404"],
    )


def _mounts(folder: Path, *names: str) -> list[dict[str, str]]:
    return [{"source": str(folder.resolve() / name), "target": name} for name in names]


def _hugo(mounts: list[dict[str, str]], folder: Path, work: Path, **settings: Any) -> None:
    """Run Hugo on the mounted folders, without writing to them; `settings` override hugo.toml."""
    work, folder = work.resolve(), folder.resolve()
    config = work / "hugo.json"
    config.write_text(json.dumps({"module": {"mounts": mounts}, "cacheDir": str(work / "cache")} | settings))
    run = watchdog.run(
        [
            *programs.PYTHON,
            "-m",
            "hugo",
            "--source",
            str(TEMPLATES),
            "--config",
            f"{TEMPLATES / 'hugo.toml'},{config}",
            "--destination",
            str(folder),
            "--noBuildLock",
            "--logLevel",
            "warn",
            "--panicOnWarning",
        ],
        os.environ | {"HUGO_RESOURCEDIR": str(work / "resources"), **FEWER_COLLECTIONS},
        folder,
        work,
    )
    if run.returncode:
        raise RuntimeError(f"hugo failed:\n{run.stdout}{run.stderr}")


def main() -> int:
    """Parse the arguments and build."""
    parser = argparse.ArgumentParser(prog="spindlemark.site.hugo", description=__doc__)
    parser.add_argument("--pages", type=Path, required=True, help="output of spindlemark.site")
    parser.add_argument("--engine", type=Path, required=True, help="output of spindlemark.site.sql_engine")
    parser.add_argument("--output", type=Path, required=True, help="folder of the HTML; replaced when it exists")
    given = parser.parse_args()
    build(given.pages, given.engine, given.output)
    return 0


if __name__ == "__main__":
    command(main)
