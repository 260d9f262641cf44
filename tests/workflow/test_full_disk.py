"""`site` and `release` as a user calls them, on a disk that is full, fills up, or cannot be written."""

import os
import shutil
import subprocess
from datetime import date

import pytest

from project import Project
from spindlemark import config
from spindlemark.measure import plan


@pytest.fixture
def small(tmp_path, needs_root):
    """A project with a site of the studies alone, and the plan of a run that measured nothing, on a disk of its own."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200m", "tmpfs", tmp_path], check=True)
    try:
        project = Project(tmp_path / "project")
        project.call("site")
        none = plan.Plan(
            profile="tiny", seed=1, stability=config.Stability(relative_width=0.5, most_repetitions=3), experiments=[]
        )
        project.write("data/build/plan.json", none.model_dump_json())
        yield project
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def fill(project: Project, left: int) -> None:
    with (project.root.parent / "fill").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(project.root).free - left)


def site(project: Project) -> dict[str, bytes]:
    folder = project.root / "data/build/site"
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_site_stays_and_one_line_tells_why(small):
    before = site(small)
    for left in (0, 100 << 10, 1 << 20):
        os.utime(small.root / "config/citation.yaml")
        fill(small, left)
        for words in (("site",), ("release", f"{date.today():%Y.%m}")):
            out = small.call(*words, code=2)
            # With some space left a release gets as far as having nothing to release, which it says.
            assert ("disk is full" in out or (words[0] == "release" and left)) and "Traceback" not in out, out
            assert site(small) == before
            assert not (small.root / f"data/releases/{date.today():%Y.%m}").exists()
        (small.root.parent / "fill").unlink()
    os.utime(small.root / "config/citation.yaml")
    subprocess.run(["mount", "-o", "remount,ro", small.root.parent], check=True)
    for words in (("site",), ("release", f"{date.today():%Y.%m}")):
        out = small.call(*words, code=2)
        assert "the disk is read-only" in out and "Traceback" not in out
    subprocess.run(["mount", "-o", "remount,rw", small.root.parent], check=True)
    small.call("site")
    assert site(small).keys() == before.keys()


def test_the_old_site_stays_whole_when_the_new_one_does_not_fit(small):
    """The last step alone fails: what it would replace must still have its start page."""
    before = site(small)
    script = small.root / "workflow/spindlemark/site/assemble.py"
    step = "    with swapped(output) as fresh:"
    assert step in script.read_text()
    script.write_text(script.read_text().replace(step, f"    raise OSError(28, 'No space left on device')\n{step}"))
    os.utime(small.root / "config/citation.yaml")
    assert "disk is full" in small.call("site", code=2)
    assert site(small) == before
