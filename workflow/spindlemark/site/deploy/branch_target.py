"""Target: a branch of a remote of the project's repository, such as `gh-pages`.

A temporary bare repository does the work. It reads the settings of the user's repository (remotes, credential helpers) and
does not change that repository, its index or its checkout. The remote accepts a push as a whole or not at all, and rejects
one that would remove files that someone else deployed in the meantime.
"""

import hashlib
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spindlemark.core.errors import UserError
from spindlemark.core.process import programs
from spindlemark.site.deploy.target import FOREIGN, require_names

LOCAL = "refs/heads/deploy"
ABSENT = 2  # exit code of ls-remote for a missing branch
AUTHOR = "Spindlemark <>"
# Only --git-dir selects the repository, even in a hook.
UNSET = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
)
QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", "-c", "maintenance.auto=false")
SECRET = re.compile(r"(?<=://)[^/@\s]+@")  # a user, and maybe a password, before a host


class Branch:
    """`branch` of the remote `remote` of the repository in `project`; `work` is an empty temporary folder."""

    def __init__(self, project: Path, remote: str, branch: str, work: Path) -> None:
        self.name = f"branch {branch} of the remote {remote}"
        self._project, self._remote, self._branch = project, remote, branch
        self._repository = work / "deploy.git"
        if branch.startswith("-") or self._run("check-ref-format", f"refs/heads/{branch}").returncode:
            raise UserError(f"{branch}: is not a valid branch name", "use one such as gh-pages")
        if self.address() is None:
            raise UserError(
                f"{project}: has no remote {remote}", "add one with: git remote add, or use --folder or --archive"
            )
        self._hash = self._of_project("rev-parse", "--show-object-format").strip()
        made = self._run("init", "--quiet", "--bare", f"--object-format={self._hash}", str(self._repository))
        _checked(made, "git init")
        settings = self._of_project("rev-parse", "--path-format=absolute", "--git-path", "config").strip()
        self._git("config", "include.path", settings)
        self._tip: str | None = None

    def address(self) -> str | None:
        """Return the address of the remote; None if there is no such remote."""
        found = self._run("remote", "get-url", "--push", "--", self._remote)
        return found.stdout.strip() if found.returncode == 0 else None

    def listing(self) -> dict[str, str]:
        """Return each file of the target with its digest."""
        self._tip = None
        looked = self._call("ls-remote", "--exit-code", self._remote, f"refs/heads/{self._branch}")
        if looked.returncode == ABSENT:
            return {}
        _checked(looked, self.name)
        self._git(
            "fetch",
            "--quiet",
            "--depth=1",
            "--filter=blob:none",
            "--no-tags",
            "--no-write-fetch-head",
            self._remote,
            f"+refs/heads/{self._branch}:{LOCAL}",
        )
        self._tip = self._git("rev-parse", LOCAL).strip()
        listed = self._git("ls-tree", "-r", "-z", "--full-tree", LOCAL)
        entries = [entry.split("\t", 1) for entry in listed.split("\0") if entry]
        found = {path: about.split()[2] if about.startswith("100") else FOREIGN for about, path in entries}
        require_names(found, self.name)
        return found

    def digest(self, file: Path) -> str:
        """Return git's object name of the content."""
        found = hashlib.new(self._hash, b"blob %d\0" % file.stat().st_size)
        with file.open("rb") as stream:
            while part := stream.read(1 << 20):
                found.update(part)
        return found.hexdigest()

    def read(self, path: str, most: int) -> bytes:
        """Return the first `most` bytes of a file of the target."""
        return self._git("cat-file", "blob", f"{LOCAL}:{path}").encode(errors="surrogateescape")[:most]

    def put(self, site: Path, paths: list[str], message: str) -> None:
        """Add or replace the files `paths` of the site."""
        with self._importing() as stream:
            now = int(time.time())
            stream.write(f"commit {LOCAL}\ncommitter {AUTHOR} {now} +0000\n".encode())
            stream.write(f"data {len(message.encode())}\n{message}\n".encode())
            if self._tip:
                stream.write(f"from {self._tip}\n".encode())
            for path in paths:
                size = (site / path).stat().st_size
                stream.write(f"M 100644 inline {path}\ndata {size}\n".encode())
                with (site / path).open("rb") as file:
                    while part := file.read(1 << 20):
                        stream.write(part)
                stream.write(b"\n")
            stream.write(b"done\n")
        pushed = self._call("push", "--quiet", self._remote, f"{LOCAL}:refs/heads/{self._branch}")
        if pushed.returncode and ("non-fast-forward" in pushed.stderr or "fetch first" in pushed.stderr):
            raise UserError(
                f"{self.name}: someone else deployed in the meantime; nothing was changed", "run the command again"
            )
        _checked(pushed, self.name)

    @contextmanager
    def _importing(self) -> Iterator:
        """Yield the input of `git fast-import`, which writes one pack of the new files."""
        words = ["git", *QUIET, f"--git-dir={self._repository}", "fast-import", "--quiet", "--done", "--force"]
        process = programs.start(
            words, cwd=self._project, env=_environment(), stdin=programs.PIPE, stderr=programs.PIPE
        )
        assert process.stdin and process.stderr  # both are pipes
        try:
            yield process.stdin
            process.stdin.close()
        except BrokenPipeError:
            pass  # it ended early; stderr says why
        except BaseException:
            process.kill()
            raise
        finally:
            message = process.stderr.read().decode(errors="replace")
            code = process.wait()
        _checked(programs.CompletedProcess([], code, "", message), "git fast-import")

    def _call(self, *words: str) -> programs.CompletedProcess[str]:
        return self._run(*QUIET, f"--git-dir={self._repository}", *words)

    def _git(self, *words: str) -> str:
        return _checked(self._call(*words), self.name)

    def _of_project(self, *words: str) -> str:
        return _checked(self._run(*words), str(self._project))

    def _run(self, *words: str) -> programs.CompletedProcess[str]:
        """Run git in the project's folder: a remote may be a relative path."""
        return programs.run(
            ["git", *words],
            cwd=self._project,
            env=_environment(),
            stdout=programs.PIPE,
            stderr=programs.PIPE,
            text=True,
            errors="surrogateescape",
        )


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in UNSET} | {"LC_ALL": "C.UTF-8"}


def _checked(done: programs.CompletedProcess[str], what: str) -> str:
    """Return git's output; raises UserError with its message, without possible passwords."""
    if done.returncode == 0:
        return done.stdout
    message = [
        line for line in SECRET.sub("", done.stderr).splitlines() if line.strip() and not line.startswith("hint:")
    ]
    raise UserError(
        f"{what}: git says: {'; '.join(message[-3:]) or f'exit code {done.returncode}'}",
        "fix that and run the command again; the deployed site was not changed",
    )
