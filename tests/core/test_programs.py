"""Programs: what is declared is started, anything else is a defect, and there is one place that starts any."""

import ast
import subprocess
import sys
import tarfile
from importlib import metadata
from pathlib import Path

import pytest

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.paths import ROOT
from spindlemark.core.process import programs
from spindlemark.core.process.command import execute
from spindlemark.measure import vm_bundle
from spindlemark.testbeds import kind
from spindlemark.testbeds.vm import machine, userland

CODE = ROOT / "workflow" / "spindlemark"
MODULES = {"subprocess", "pty", "_posixsubprocess", "multiprocessing", "concurrent.futures.process"}
CALLS = {
    "system",
    "popen",
    "Popen",
    "check_call",
    "check_output",
    "getoutput",
    "getstatusoutput",
    "startfile",
    "fork",
    "forkpty",
    "create_subprocess_exec",
    "create_subprocess_shell",
    "subprocess_exec",
    "subprocess_shell",
}
STARTER = "core/process/programs.py"
UNDECLARED = ("sleep", "1")


@pytest.fixture
def own(monkeypatch):
    """What a test declares is forgotten after it."""
    monkeypatch.setattr(programs, "_of_filesystems", {})


@pytest.mark.parametrize(
    "argv",
    [
        UNDECLARED,
        ("env", "A=b", *UNDECLARED),
        ("env", "--chdir=/", "A=b", *UNDECLARED),
        ("setpriv", "--pdeathsig=KILL", "--", *UNDECLARED),
        ("sudo", "env", "A=b", *UNDECLARED),
        ("unshare", "--pid", "--fork", "--", "env", *UNDECLARED),
        ("/bin/sleep", "1"),
        ("/usr/bin/env", "true"),
    ],
)
def test_what_is_declared_nowhere_is_a_defect_on_every_machine(argv):
    for start in (programs.run, programs.start, lambda words: execute(words, 5)):
        with pytest.raises(programs.UndeclaredProgramError, match="is declared neither in .*apt.yaml nor by"):
            start(argv)


def test_a_package_that_is_not_here_has_no_version():
    versions = {name: execute(programs.version_of(name), 60).stdout.strip() for name in ("duckdb", "no-such-package")}
    assert versions == {"duckdb": metadata.version("duckdb"), "no-such-package": ""}


def test_what_is_declared_and_not_here_is_for_the_user_to_mend(tmp_path, monkeypatch):
    monkeypatch.setattr(programs, "SYSTEM_FOLDERS", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="mkfs.jfs: no such tool") as caught:
        programs.run(["mkfs.jfs", "-V"])
    assert "jfsutils" in caught.value.remedy


def test_declared_programs_run_and_wrappers_let_them():
    assert (
        programs.run(["env", "--unset=B", "sh", "-c", "echo $A"], env={"A": "b"}, text=True, capture_output=True).stdout
        == "b\n"
    )
    process = programs.start(["setpriv", "--pdeathsig=KILL", "--", *programs.PYTHON, "-c", "raise SystemExit(3)"])
    assert process.wait() == 3


def test_a_program_in_the_folder_where_one_works_is_not_found(tmp_path, monkeypatch):
    (tmp_path / "mkfs.here").write_text("#!/bin/sh\n")
    (tmp_path / "mkfs.here").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".::" + str(tmp_path / "none"))
    assert programs.find("mkfs.here") is None


def test_a_declared_filesystem_brings_its_programs(tmp_path, own):
    tool = tmp_path / "mkfs.own"
    tool.write_text("#!/bin/sh\necho made\n")
    tool.chmod(0o755)
    with pytest.raises(programs.UndeclaredProgramError):
        execute([tool], 5)
    registry = config.load()
    words = {"mkfs": [str(tool)], "version": ["false"], "package": "mine"}
    mine = registry.filesystems["ext4"].model_copy(update=words)
    config.Registry.model_validate(registry.model_dump() | {"filesystems": {"mine": mine.model_dump()}})
    assert execute([tool], 5).stdout == "made\n" == programs.run([tool], capture_output=True, text=True).stdout
    assert (
        programs.run(["env", "A=b", tool], capture_output=True).returncode == 0 and execute(["false"], 5).exit_code == 1
    )
    assert programs.packages()[str(tool)] == programs.packages()["false"] == "mine"


def test_one_module_starts_programs():
    assert _starting(ast.parse((CODE / STARTER).read_text()))
    found = {str(path.relative_to(CODE)): _starting(ast.parse(path.read_text())) for path in CODE.rglob("*.py")}
    assert {name: lines for name, lines in found.items() if lines and name != STARTER} == {}


def _starting(tree: ast.Module) -> list[str]:
    """What of a module's code starts programs, or could."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [f"{node.lineno}: {alias.name}" for alias in node.names if alias.name in MODULES]
        elif isinstance(node, ast.ImportFrom) and node.module in {*MODULES, "os"}:
            names = [alias.name for alias in node.names if node.module != "os" or _runs(alias.name)]
            found += [f"{node.lineno}: {node.module}.{name}" for name in names]
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            found += [f"{node.lineno}: {name}"] if _runs(name) or name == "Process" else []
    return found


def _runs(name: str) -> bool:
    return name in CALLS or name.startswith(("execv", "execl", "spawn", "posix_spawn"))


def test_every_python_that_is_started_leaves_out_the_folder_it_is_called_in(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text(f"open({str(tmp_path / 'witness')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)
    assert programs.run([*programs.PYTHON, "-c", "import json"]).returncode == 0
    assert not (tmp_path / "witness").exists()
    sources = [path for path in CODE.rglob("*.py") if path != CODE / STARTER]
    bare = [
        f"{path.relative_to(CODE)}: {n}"
        for path in sources
        for n, line in enumerate(path.read_text().splitlines(), 1)
        if "[sys.executable" in line
    ]
    bare += [
        f"{path.name}: {line}"
        for path in [*ROOT.glob("rules/**/*.smk"), ROOT / "Snakefile"]
        for line in path.read_text().splitlines()
        if "sys.executable}" in line and "} -P " not in line
    ]
    assert bare == []


def test_the_guest_gets_the_declared_programs_by_name_and_the_list(tmp_path):
    registry = config.load()
    vm_bundle.write(tmp_path, userland.files(registry))
    out = subprocess.run(
        ["debugfs", "-R", f"rdump / {tmp_path}", tmp_path / machine.AGENT_DISK],
        text=True,
        capture_output=True,
        check=True,
    )
    assert "rror" not in out.stderr
    with tarfile.open(tmp_path / vm_bundle.TOOLS) as archive:
        given = {Path(m.name).name: m.linkname for m in archive if m.issym()}
        kept = {f"/{m.name}" for m in archive if m.isfile()}
    measuring = {tool.name for tool in programs.declared_tools() if tool.group == "measure"}
    assert given.keys() <= measuring | {"zpool", "zfs"}, "the last two are unpacked for the virtual machine alone"
    assert {"sh", "env", "tar", "cp", "mount", "mkfs.ext4"} <= given.keys() and set(given.values()) <= kept
    assert not any("qemu" in name for name in given)
    code = "import sys; sys.path.insert(0, sys.argv[1]); from spindlemark.core.process import programs; print(*programs.packages())"
    folder = f"lib/python{sys.version_info.major}.{sys.version_info.minor}"
    said = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, tmp_path / folder], text=True, capture_output=True, check=True
    ).stdout
    assert set(said.split()) == {tool.name for tool in programs.declared_tools()}


def test_what_others_start_is_found_in_a_folder_of_what_is_declared(tmp_path):
    folder = programs.link_all(tmp_path / "programs")
    assert {path.name for path in folder.iterdir()} == {
        name for name in programs.packages() if "/" not in name and programs.find(name)
    }
    assert programs.run(["sh", "-c", "env true && sleep 0"], env={"PATH": str(folder)}).returncode != 0


def test_the_guest_looks_into_its_one_folder_only(tmp_path, monkeypatch):
    monkeypatch.setenv(programs.ONLY, str(tmp_path))
    assert programs.find("sh") is None and programs.search_path() == str(tmp_path)


def test_every_tool_that_is_declared_for_use_here_is_in_the_list():
    """The list is what doctor and installation read: nothing that a module names as its tool may be missing in it.

    Python is there, with the one program that one of its packages brings.
    """
    from spindlemark.families import registry as families
    from spindlemark.families.shared.codecs import ffmpeg

    listed = {tool.name for tool in programs.declared_tools()} | {sys.executable, ffmpeg.PROGRAM}
    for family in families.names():
        assert {argv[0] for argv in families.tools(family).values()} - {programs.PYTHON[0]} <= listed
    for declared in config.load().testbeds.values():
        assert set(kind.of(declared).tools) <= listed


def test_a_program_starts_in_a_folder_that_only_root_writes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    where = [*programs.PYTHON, "-c", "import os; print(os.getcwd())"]
    assert programs.run(where, capture_output=True, text=True).stdout == "/\n"
    with programs.start(where, stdout=programs.PIPE, text=True) as process:
        assert process.communicate()[0] == "/\n"
    assert programs.run(where, capture_output=True, text=True, cwd=tmp_path).stdout == f"{tmp_path}\n"
