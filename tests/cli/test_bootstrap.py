"""The script that sets everything up: runs nothing of the folder it is called in, and no uv but the pinned one."""

import hashlib
import json
import os
import shutil
import subprocess
import tomllib
import zipfile
from pathlib import Path

import pytest

from spindlemark.core import ownership, project
from spindlemark.core.paths import ROOT

UV = """#!/bin/sh
echo "$VERSION $PWD $*" >> {log}
mkdir -p {root}/.venv/bin
printf '%s\\n' '#!/bin/sh' 'echo "ran $*"' > {root}/.venv/bin/python
chmod +x {root}/.venv/bin/python
"""


def hostile(folder: Path) -> Path:
    """A folder in which everything that Python or uv could look for writes a witness; returns the witness's path."""
    folder.mkdir()
    witness = folder / "witness"
    for name in ("typer", "pip", "json", "sitecustomize", "usercustomize", "site", "encodings", "spindlemark", "rich"):
        (folder / f"{name}.py").write_text(f"open({str(witness)!r}, 'a').write({name!r})\n")
    for name in ("uv.toml", "pyproject.toml", ".env", ".python-version"):
        (folder / name).write_text("no [valid file\n")
    for name in ("uv", "python3", "pip"):
        (folder / name).write_text(f"#!/bin/sh\necho {name} >> {witness}\nexit 1\n")
        (folder / name).chmod(0o755)
    return witness


def test_nothing_of_the_folder_that_it_is_called_in_is_run(tmp_path):
    witness = hostile(tmp_path / "foreign")
    done = subprocess.run(
        [ROOT / "spindlemark", "plan", "--help"],
        cwd=tmp_path / "foreign",
        text=True,
        capture_output=True,
        env=os.environ | {"UV_OFFLINE": "1"},
    )
    assert done.returncode == 0 and "--profile" in done.stdout, done.stderr
    assert not witness.exists()


class Clone:
    """A project with nothing but the script and a uv that writes down how it is called."""

    def __init__(self, folder: Path) -> None:
        self.root, self.log, self.wheels = folder / "project", folder / "log", folder / "wheels"
        (self.root / "envs").mkdir(parents=True)
        self.wheels.mkdir()
        shutil.copy(ROOT / "spindlemark", self.root / "spindlemark")
        self.foreign = folder / "foreign"
        self.witness = hostile(self.foreign)

    def offer(self, version: str) -> str:
        """Put a wheel of uv where pip looks; returns its SHA-256."""
        wheel = self.wheels / f"uv-{version}-py3-none-any.whl"
        info = f"uv-{version}.dist-info"
        with zipfile.ZipFile(wheel, "w") as archive:
            script = zipfile.ZipInfo(f"uv-{version}.data/scripts/uv")
            script.external_attr = 0o100755 << 16
            archive.writestr(script, UV.format(log=self.log, root=self.root).replace("$VERSION", version))
            archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: uv\nVersion: {version}\n")
            archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            archive.writestr(f"{info}/RECORD", "")
        return hashlib.sha256(wheel.read_bytes()).hexdigest()

    def pin(self, version: str, digest: str) -> None:
        (self.root / "envs" / "bootstrap.txt").write_text(f"uv=={version} --hash=sha256:{digest}\n")

    def call(self, *words: str, first: Path | None = None) -> subprocess.CompletedProcess:
        # A uv of somebody else's on the path, and an index that nobody may ask.
        (self.foreign / "bin").mkdir(exist_ok=True)
        (self.foreign / "bin" / "uv").write_text((self.foreign / "uv").read_text())
        (self.foreign / "bin" / "uv").chmod(0o755)
        path = os.pathsep.join([*([str(first)] if first else []), str(self.foreign / "bin"), os.environ["PATH"]])
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "UV_"))}
        environment |= {"PATH": path, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels), "PIP_NO_CACHE_DIR": "1"}
        return subprocess.run(
            [self.root / "spindlemark", *words], cwd=self.foreign, text=True, capture_output=True, env=environment
        )


@pytest.fixture
def clone(tmp_path):
    return Clone(tmp_path)


def test_only_the_pinned_uv_is_installed_and_anew_when_another_is_pinned(clone):
    digests = [clone.offer("1.0"), clone.offer("2.0")]
    for version, digest in zip(("1.0", "2.0"), digests, strict=True):
        clone.pin(version, digest)
        for _ in range(2):
            done = clone.call("doctor", "word")
            assert done.returncode == 0 and done.stdout == "ran -P -m spindlemark doctor word\n", done.stderr
        told = project.installer(clone.root / "data" / "build" / "bootstrap" / "installed.json")
        assert told == {"python.uv.version": version, "python.uv.sha256": digest}
    calls = [line.split()[:4] for line in clone.log.read_text().splitlines()]
    assert calls == [[v, str(clone.root), "sync", "--quiet"] for v in ("1.0", "1.0", "2.0", "2.0")]
    assert not clone.witness.exists()


def test_a_uv_with_another_hash_is_refused(clone):
    clone.offer("1.0")
    clone.pin("1.0", "0" * 64)
    done = clone.call("doctor")
    assert done.returncode == 2 and "could not be installed" in done.stderr and "hash" in done.stderr.lower()
    assert not clone.log.exists() and not clone.witness.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="giving files away needs root")
@pytest.mark.parametrize("how", ["fails", "is stopped"])
def test_what_root_made_in_somebodys_clone_before_it_failed_is_theirs(clone, how):
    """Neither a set-up that fails nor one that is stopped leaves what its owner cannot delete."""
    clone.pin("1.0", clone.offer("1.0"))
    shutil.copytree(
        ROOT / "workflow/spindlemark", clone.root / "workflow/spindlemark", ignore=shutil.ignore_patterns("__pycache__")
    )
    for path in (clone.root, *clone.root.rglob("*")):
        os.chown(path, 65534, 65534)
    assert clone.call("doctor").returncode == 0
    end = "exit 1" if how == "fails" else f"kill -INT $(cat {clone.root}/pid); sleep 5; exit 1"
    (clone.root / "data/build/bootstrap/bin/uv").write_text(f"#!/bin/sh\nmkdir -p {clone.root}/.venv/half\n{end}\n")
    script = clone.root / "spindlemark"
    script.write_text(script.read_text().replace("set -eu\n", f"set -eu\necho $$ > {clone.root}/pid\n", 1))
    assert clone.call("doctor").returncode == (2 if how == "fails" else 130)
    assert (clone.root / ".venv/half").stat().st_uid == 65534
    assert {path.lstat().st_uid for path in clone.root.rglob("*")} == {65534}


def declare_dependency(clone: Clone) -> None:
    """Let the project's own uv, without a network, lock and install one package into the clone's environment."""
    wheel = clone.wheels / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny.py", "")
        archive.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        archive.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("tiny-1.0.dist-info/RECORD", "")
    (clone.root / "pyproject.toml").write_text(
        '[project]\nname = "own"\nversion = "1"\nrequires-python = ">=3.11"\ndependencies = ["tiny"]\n'
        f'[dependency-groups]\nbuild = []\n[tool.uv.sources]\ntiny = {{ path = "{wheel}" }}\n'
    )
    tools = clone.root / "data/build/bootstrap"
    (tools / "bin").mkdir(parents=True)
    shutil.copy(project.INSTALLER.parent / "bin" / "uv", tools / "bin" / "uv")
    for path in (tools / "pinned.txt", clone.root / "envs/bootstrap.txt"):
        path.write_text("uv\n")
    subprocess.run([tools / "bin" / "uv", "lock", "--offline", "--quiet"], cwd=clone.root, check=True)


def installed(clone: Clone) -> Path:
    (module,) = clone.root.glob(".venv/lib/python*/site-packages/tiny.py")
    return module


@pytest.mark.skipif(os.geteuid() != 0, reason="giving files away needs root")
@pytest.mark.parametrize("earlier", ["none", "linked"])
def test_the_environment_that_root_made_in_somebodys_clone_is_theirs(clone, tmp_path, monkeypatch, earlier):
    """No file in it is a hard link into root's cache, which cannot be given away, and earlier links are replaced."""
    if not project.INSTALLER.exists():
        pytest.skip("the environment was not made by ./spindlemark")
    declare_dependency(clone)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if earlier == "linked":
        assert clone.call("doctor").stderr.endswith("No module named spindlemark\n")
        assert installed(clone).stat().st_nlink > 1, "the trap does not work"
    for path in (clone.root, *clone.root.rglob("*")):
        if path.is_symlink() or path.is_dir() or path.stat().st_nlink == 1:
            os.chown(path, 65534, 65534, follow_symlinks=False)
    assert clone.call("doctor").stderr.endswith("No module named spindlemark\n")
    ownership.give_back(clone.root)  # as the command line does at its end
    assert installed(clone).exists()
    assert [path for path in clone.root.rglob("*") if path.lstat().st_uid != 65534] == []


def test_a_long_step_is_told_again_and_again(clone):
    digest = clone.offer("1.0")
    clone.pin("1.0", digest)
    clone.call("doctor")
    quick = clone.root / "bin"
    quick.mkdir()
    (quick / "sleep").write_text('#!/bin/sh\necho "$1" >> "$0.log"\nexec /bin/sleep 0.05\n')
    (quick / "sleep").chmod(0o755)
    uv = clone.root / "data" / "build" / "bootstrap" / "bin" / "uv"
    uv.write_text(uv.read_text() + "/bin/sleep 1\n")
    done = clone.call("doctor", first=quick)
    assert done.returncode == 0 and done.stderr.count("spindlemark: creating the Python environment ...\n") > 2
    assert set((quick / "sleep.log").read_text().split()) == {"2", "20"}


def test_an_environment_that_cannot_be_made_is_told_by_exit_code_2(clone):
    clone.pin("1.0", clone.offer("1.0"))
    clone.call("doctor")
    (clone.root / "data" / "build" / "bootstrap" / "bin" / "uv").write_text("#!/bin/sh\nexit 1\n")
    done = clone.call("doctor")
    assert done.returncode == 2 and "could not be created" in done.stderr


def test_all_that_builds_is_pinned():
    """uv builds the project itself, when it is of the version that is asked for; what else is built uses the lock."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())
    version = (ROOT / "envs" / "bootstrap.txt").read_text().split("uv==")[1].split()[0]
    assert declared["build-system"]["requires"] == [f"uv_build=={version}"]
    lock = tomllib.loads((ROOT / "uv.lock").read_text())["package"]
    from_source = {p["name"] for p in lock if "registry" in p["source"] and not p.get("wheels")}
    assert from_source == set(declared["tool"]["uv"]["no-build-isolation-package"])
    listed = {p["name"]: p for p in lock}
    for wanted in declared["dependency-groups"]["build"]:
        assert listed[wanted.split(">")[0]]["wheels"]
    files = [file for p in lock for file in [*p.get("wheels", []), p.get("sdist")] if file]
    assert files and all(file["hash"].startswith("sha256:") for file in files)


def test_what_lies_in_a_folder_above_changes_nothing(tmp_path):
    uv = project.INSTALLER.parent / "bin" / "uv"
    if not uv.exists():
        pytest.skip("the environment was not made by ./spindlemark")
    inner = tmp_path / "inner"
    inner.mkdir()
    for name in ("pyproject.toml", "uv.lock", "README.md"):
        shutil.copy(ROOT / name, inner / name)
    (tmp_path / "uv.toml").write_text("no-build-isolation-package = 1\n")
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "foreign"\nversion = "1"\n[tool.uv.workspace]\nmembers = ["inner"]\n'
    )
    words = ["export", "--frozen", "--offline", "--quiet", "--no-dev", "--project", inner]
    done = subprocess.run([uv, *words], cwd=inner, text=True, capture_output=True)
    assert done.returncode == 0 and "snakemake==" in done.stdout and "foreign" not in done.stdout, done.stderr
    text = (inner / "pyproject.toml").read_text()
    (inner / "pyproject.toml").write_text(text.replace("[tool.uv]", "[tool.none]").replace("[tool.uv.", "[tool.none."))
    assert subprocess.run([uv, *words], cwd=inner, capture_output=True).returncode != 0, "the trap does not work"


def test_the_environment_was_made_by_the_pinned_uv():
    report = project.INSTALLER
    if not report.exists():
        pytest.skip("the environment was not made by ./spindlemark")
    told = project.installer()
    pinned = (ROOT / "envs" / "bootstrap.txt").read_text()
    assert f"uv=={told['python.uv.version']} " in pinned and told["python.uv.sha256"] in pinned
    assert json.loads(report.read_text())["install"][0]["is_direct"] is False
