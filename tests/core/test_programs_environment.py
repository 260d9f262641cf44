"""The variables of a timed command: the same everywhere, and those of the interpreter only in the virtual machine."""

from spindlemark.core.process import programs


def test_a_command_gets_nothing_of_the_users_environment(monkeypatch):
    monkeypatch.setenv("PYTHONHOME", "/somewhere")
    monkeypatch.setenv("SECRET", "1")
    monkeypatch.delenv(programs.ONLY, raising=False)
    assert programs.environment() == {"LC_ALL": "C", "HOME": "/", "PATH": programs.search_path()}


def test_in_the_virtual_machine_python_finds_its_modules(monkeypatch):
    monkeypatch.setenv(programs.ONLY, "/run/programs")
    monkeypatch.setenv("PYTHONHOME", "/run/python")
    found = programs.environment()
    assert (found["PYTHONHOME"], found["PATH"]) == ("/run/python", "/run/programs")
