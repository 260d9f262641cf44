"""System tools: found where they lie, installed from the distribution or explained."""

import os
import stat
from pathlib import Path

import pytest
import yaml

from spindlemark import config
from spindlemark.core.errors import UserError
from spindlemark.core.process import programs, tools


def executable(folder: Path, name: str, text: str = "#!/bin/sh\n") -> Path:
    path = folder / name
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A PATH of our own, with an apt-get that logs its words and installs a file per package."""
    system, log = tmp_path / "bin", tmp_path / "log"
    system.mkdir()
    (system / "env").symlink_to("/usr/bin/env")
    monkeypatch.setenv("PATH", str(system))
    monkeypatch.setattr(programs, "SYSTEM_FOLDERS", (str(tmp_path / "sbin"),))
    (tmp_path / "sbin").mkdir()
    apt = f"""#!/bin/sh
echo "$DEBIAN_FRONTEND $*" >> {log}
[ "$1" = update ] && exit 0
for word; do tool={tmp_path}/sbin/made-by-$word; echo '#!/bin/sh' > "$tool"; /bin/chmod +x "$tool"; done
"""
    executable(system, "apt-get", apt)
    return system, log


def test_list_is_the_yaml_that_it_claims_to_be():
    content = yaml.safe_load(tools.LIST.read_text())
    read = {}
    for tool in tools.declared_tools():
        read.setdefault(tool.group, {})[tool.name] = tool.package
    assert read == content


def test_every_tool_that_filesystems_need_is_listed_with_the_declared_package():
    listed = {(tool.group, tool.name): tool.package for tool in tools.declared_tools()}
    for filesystem in config.load().filesystems.values():
        group = "optional" if filesystem.pool else "measure"  # pools are for the virtual machine, and never installed
        for argv in (*filesystem.tools(), filesystem.version):
            assert listed.get((group, argv[0])) == filesystem.package


@pytest.mark.parametrize("line", ["  mkfs.ext4", "\tmkfs: x", "  a: b c", "  a: [b]", "Measure: x"])
def test_unreadable_line_is_named(tmp_path, line):
    path = tmp_path / "apt.yaml"
    path.write_text(f"measure:\n{line}\n")
    with pytest.raises(UserError, match="line 2"):
        tools.declared_tools(path)


def test_system_folders_are_searched(machine, tmp_path):
    assert tools.find("mkfs.new") is None
    path = executable(tmp_path / "sbin", "mkfs.new")
    assert tools.find("mkfs.new") == str(path)


def test_missing_keeps_to_the_wing(machine, tmp_path):
    path = tmp_path / "apt.yaml"
    path.write_text("measure:\n  here: one\n  absent: two\ntest:\n  other: three\n")
    executable(machine[0], "here")
    assert tools.missing("measure", path) == [tools.Tool("absent", "two", "measure")]
    with pytest.raises(UserError, match="no group"):
        tools.missing("measuring", path)


def test_installs_each_package_once_after_asking(machine, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    asked = []
    wanted = [
        tools.Tool("made-by-two", "two", "measure"),
        tools.Tool("made-by-one", "one", "measure"),
        tools.Tool("made-by-two", "two", "test"),
    ]
    tools.install(wanted, lambda question: asked.append(question) or True)
    assert len(asked) == 1 and "one, two" in asked[0] and "made-by-one" in asked[0]
    assert machine[1].read_text().splitlines() == [
        "noninteractive update -qq",
        "noninteractive install --yes --no-install-recommends one two",
    ]


def test_nothing_missing_asks_nothing(machine):
    tools.install([], lambda question: pytest.fail("asked"))
    assert not machine[1].exists()


def test_a_no_installs_nothing_and_tells_the_command(machine, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(UserError, match="apt-get install --yes --no-install-recommends xfsprogs"):
        tools.install([tools.Tool("mkfs.xfs", "xfsprogs", "measure")], lambda question: False)
    assert not machine[1].exists()


def test_without_root_and_sudo_the_command_is_told(machine, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(UserError, match="as root run: apt-get install .* xfsprogs"):
        tools.install([tools.Tool("mkfs.xfs", "xfsprogs", "measure")], lambda question: True)


def test_sudo_is_used_when_there_is_one(machine, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    executable(machine[0], "sudo", f'#!/bin/sh\necho sudo >> {machine[1]}\nexec "$@"\n')
    tools.install([tools.Tool("made-by-one", "one", "measure")], lambda question: True)
    assert machine[1].read_text().splitlines()[0::2] == ["sudo", "sudo"]


def test_without_apt_the_tools_are_named(machine):
    (machine[0] / "apt-get").unlink()
    with pytest.raises(UserError, match="missing here: mkfs.xfs") as caught:
        tools.install([tools.Tool("mkfs.xfs", "xfsprogs", "measure")], lambda question: True)
    assert "package manager" in caught.value.remedy


def test_a_long_installation_is_not_silent(machine, monkeypatch, capsys):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(tools, "PROGRESS_SECONDS", 0.05)
    apt = machine[0] / "apt-get"
    apt.write_text(apt.read_text().replace("#!/bin/sh\n", "#!/bin/sh\n/bin/sleep 0.5\n"))
    tools.install([tools.Tool("made-by-one", "one", "measure")], lambda question: True)
    said = capsys.readouterr().out
    assert said.count("Still busy with apt-get update (") > 1 and said.count("Still busy with apt-get install (") > 1


def test_a_failing_installation_is_told(machine, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    executable(machine[0], "apt-get", "#!/bin/sh\nexit 100\n")
    with pytest.raises(UserError, match="exit code 100"):
        tools.install([tools.Tool("x", "y", "measure")], lambda question: True)


def test_a_package_without_the_tool_is_told(machine, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(UserError, match="still missing .*: elsewhere"):
        tools.install([tools.Tool("elsewhere", "one", "measure")], lambda question: True)
