"""How the suite runs: side by side with another on one machine, and to its end when a set-up fails."""

import os
import subprocess
import sys
import uuid

import pytest

from spindlemark.cli import testing
from spindlemark.core import private_files
from spindlemark.core.paths import ROOT

# Own folders /run and /dev, and a `mount` that fails.
WITHOUT_MOUNTS = """
mount -t tmpfs none /run
mount -t tmpfs none /dev
mknod /dev/null c 1 3
mknod /dev/urandom c 1 9
mkdir "$0/bin"
printf '#!/bin/sh\\nexit 1\\n' > "$0/bin/mount"
chmod +x "$0/bin/mount"
PATH="$0/bin:$PATH" exec "$@"
"""


def test_root_s_notes_are_each_process_s_own(needs_root, tmp_path):
    helpers = str(ROOT / "tests/helpers")
    (tmp_path / "conftest.py").write_text(
        f"import sys\nsys.path.insert(0, {helpers!r})\nfrom isolation import pytest_configure\n"
    )
    left = f"left-{uuid.uuid4().hex}"
    (tmp_path / "test_inside.py").write_text(
        f"from spindlemark.core import private_files\ndef test():\n    private_files.write_note({left!r}, {{}})\n"
        f"    assert {{path.name for path in private_files.RUN.iterdir()}} == {{{left + '.json'!r}, 'session.json'}}\n"
    )
    assert testing.run([str(tmp_path), "-q", "-p", "no:cacheprovider"]) == 0
    assert not (private_files.RUN / f"{left}.json").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="a mount namespace needs root")
def test_a_failed_set_up_of_the_hostile_tests_does_not_stop_the_next_ones(tmp_path):
    """Each of two modules sets up the same lock and mounts; both fail, and both end."""
    modules = [f"tests/hostile/test_{name}.py" for name in ("disk_use", "loop_settings")]
    done = subprocess.run(
        [
            "unshare",
            "--mount",
            "sh",
            "-ec",
            WITHOUT_MOUNTS,
            tmp_path,
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--tb",
            "line",
            *modules,
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1 and " passed" not in done.stdout, done.stdout
    for module in modules:
        assert f"ERROR {module}" in done.stdout
