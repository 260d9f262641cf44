"""apt with its own lists, archives and hooks, for packages that are unpacked and never installed."""

import os
from collections.abc import Mapping
from pathlib import Path

from spindlemark.core.outcome import Unsupported
from spindlemark.core.process.command import execute

_HOOKS = ("APT::Update::Post-Invoke", "APT::Update::Post-Invoke-Success")
_COMMON = {
    "Acquire::Languages": "none",
    "APT::Sandbox::User": "root",
    "Acquire::Retries": "1",
    "Acquire::http::Timeout": "15",
    "Acquire::https::Timeout": "15",
}


def prepare(folder: Path) -> None:
    """Create the folder for apt's state, and remove packages of an earlier download."""
    for part in ("lists/partial", "archives/partial", "none"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for left in folder.glob("*.deb"):
        left.unlink()
    (folder / "hooks.conf").write_text("".join(f"#clear {hook};\n" for hook in _HOOKS))


def command_line(folder: Path, tool: str, settings: Mapping[str, str | Path]) -> list[str]:
    """The start of a command line: `tool` of apt on the prepared folder, with `settings`; its arguments follow."""
    proxies = {
        f"Acquire::{scheme}::Proxy": os.environ[f"{scheme}_proxy"]
        for scheme in ("http", "https")
        if os.environ.get(f"{scheme}_proxy")
    }
    own = {"Dir::State::Lists": folder / "lists", "Dir::Cache": folder}
    options = [
        word for key, value in (own | _COMMON | dict(settings) | proxies).items() for word in ("-o", f"{key}={value}")
    ]
    # `download` writes to the working folder. APT_CONFIG keeps the host's hooks from running.
    return ["env", f"--chdir={folder}", f"APT_CONFIG={folder / 'hooks.conf'}", tool, "-q", *options]


def run(argv: list[str], problem: str, limit: float) -> str:
    """Run a command and return its output; raises Unsupported with `problem` and the command's error if it fails."""
    done = execute(argv, limit)
    if done.timed_out:
        raise Unsupported(f"{problem}: not finished within {limit:g} s")
    if done.exit_code:
        lines = [line for line in (done.stderr or done.stdout).splitlines() if line.startswith("E:")] or [done.stderr]
        raise Unsupported(f"{problem}: {lines[0].strip() or 'it errors nothing'}")
    return done.stdout
