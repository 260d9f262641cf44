"""A place to publish to, of each kind, with releases and sites for it."""

import subprocess
import zipfile
from pathlib import Path

import online_site
from online_site import ADDRESS
from spindlemark.site.deploy import deployment
from spindlemark.site.deploy.branch_target import Branch
from spindlemark.site.deploy.folder_target import Folder
from spindlemark.site.deploy.zip_target import Archive

KINDS = ("folder", "archive", "branch")


def git(*words, **how) -> str:
    return subprocess.run(["git", *map(str, words)], check=True, capture_output=True, text=True, **how).stdout


class Place:
    """A target of one kind, the releases and the site that are published to it."""

    def __init__(self, root: Path, kind: str) -> None:
        self.root, self.kind, self.count = root, kind, 0
        self.releases, self.folder, self.archive = root / "releases", root / "www", root / "site.zip"
        online_site.freeze(self.releases, "2026.10")
        if kind == "branch":
            self.remote, self.project = root / "remote.git", root / "project"
            git("init", "-q", "--bare", self.remote)
            git("init", "-q", self.project)
            git("-C", self.project, "remote", "add", "origin", self.remote)

    def target(self):
        self.count += 1
        if self.kind == "branch":
            (work := self.root / f"work-{self.count}").mkdir()
            return Branch(self.project, "origin", "gh-pages", work)
        return Folder(self.folder) if self.kind == "folder" else Archive(self.archive)

    def site(self, words: str = "") -> Path:
        self.count += 1
        return online_site.build(self.root / f"site-{self.count}", self.releases, words)

    def publish(self, site: Path | None = None) -> deployment.Change:
        target = self.target()
        change = deployment.plan(site or self.site(), target, self.releases, ADDRESS)
        if change.new or change.changed:
            assert deployment.put(change, target, self.releases) >= 3
        return change

    def content(self) -> dict[str, bytes]:
        """Everything that stands there."""
        if self.kind == "archive":
            with zipfile.ZipFile(self.archive) as archive:
                return {name: archive.read(name) for name in archive.namelist()}
        if self.kind == "branch":
            if (self.root / "seen").exists():
                git("-C", self.root / "seen", "fetch", "-q")
                git("-C", self.root / "seen", "reset", "-q", "--hard", "origin/gh-pages")
            else:
                git("clone", "-q", "--branch", "gh-pages", self.remote, self.root / "seen")
        folder = self.root / "seen" if self.kind == "branch" else self.folder
        return {
            p.relative_to(folder).as_posix(): p.read_bytes()
            for p in folder.rglob("*")
            if p.is_file() and ".git" not in p.parts
        }

    def spoil(self, path: str, text: str) -> None:
        """Change what stands online without this program."""
        if self.kind == "folder":
            (self.folder / path).parent.mkdir(exist_ok=True, parents=True)
            (self.folder / path).write_text(text)
        elif self.kind == "archive":
            kept = self.content() | {path: text.encode()}
            with zipfile.ZipFile(self.archive, "w") as archive:
                for name, data in kept.items():
                    archive.writestr(name, data)
        else:
            self.content()
            (seen := self.root / "seen").joinpath(path).parent.mkdir(exist_ok=True, parents=True)
            (seen / path).write_text(text)
            git("-C", seen, "add", "-A")
            git("-C", seen, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "by hand")
            git("-C", seen, "push", "-q", "origin", "HEAD:gh-pages")
