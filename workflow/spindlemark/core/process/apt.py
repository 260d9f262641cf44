"""apt with lists, archives and hooks of our own, for packages that are unpacked and never installed."""

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
    """Make the folder of our own state; what an earlier download left in it is taken away."""
    for part in ("lists/partial", "archives/partial", "none"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for left in folder.glob("*.deb"):
        left.unlink()
    (folder / "hooks.conf").write_text("".join(f"#clear {hook};\n" for hook in _HOOKS))


def command_line(folder: Path, tool: str, settings: Mapping[str, str | Path]) -> list[str]:
    """The command up to its own words: `tool` of apt on the prepared folder, with further settings."""
    proxies = {
        f"Acquire::{scheme}::Proxy": os.environ[f"{scheme}_proxy"]
        for scheme in ("http", "https")
        if os.environ.get(f"{scheme}_proxy")
    }
    own = {"Dir::State::Lists": folder / "lists", "Dir::Cache": folder}
    options = [
        word for key, value in (own | _COMMON | dict(settings) | proxies).items() for word in ("-o", f"{key}={value}")
    ]
    # download writes to the working folder, and the hooks of the host's own lists are none of ours.
    return ["env", f"--chdir={folder}", f"APT_CONFIG={folder / 'hooks.conf'}", tool, "-q", *options]


def run(argv: list[str], problem: str, limit: float) -> str:
    """What a command printed; raises Unsupported with the problem and its last words when it fails."""
    done = execute(argv, limit)
    if done.timed_out:
        raise Unsupported(f"{problem}: no end within {limit:g} s")
    if done.exit_code:
        errors = [line for line in (done.stderr or done.stdout).splitlines() if line.startswith("E:")] or [done.stderr]
        raise Unsupported(f"{problem}: {errors[0].strip() or 'it errors nothing'}")
    return done.stdout
