"""Publishing to a branch: the clone, the work of others and passwords are left alone, and only what is new is fetched."""

import pytest

import online_site
from online_place import Place, git
from online_site import ADDRESS
from spindlemark.core.errors import UserError
from spindlemark.site.deploy import deployment


@pytest.fixture
def branch(tmp_path) -> Place:
    return Place(tmp_path, "branch")


def test_a_branch_with_something_else_is_refused(branch):
    branch.publish()
    git("-C", branch.remote, "branch", "-m", "gh-pages", "kept")
    git("clone", "-q", "--branch", "kept", branch.remote, seen := branch.root / "seen")
    git("-C", seen, "checkout", "-q", "--orphan", "gh-pages")
    git("-C", seen, "rm", "-rqf", ".")
    branch.content = lambda: None
    branch.spoil("index.html", "<h1>My cats</h1>")
    with pytest.raises(UserError, match="is not a site of this program"):
        branch.publish()


def test_the_address_of_a_remote_may_be_relative_to_the_project(branch, monkeypatch):
    git("-C", branch.project, "remote", "set-url", "origin", "../remote.git")
    monkeypatch.chdir("/")
    branch.publish()
    assert branch.publish().compared == 4


def test_the_clone_is_left_as_it_is(branch):
    project = branch.project
    (project / "a").write_text("1")
    git("-C", project, "add", "a")
    git("-C", project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one")
    (project / "a").write_text("staged")
    git("-C", project, "add", "a")
    (project / "a").write_text("edited")
    git("-C", project, "config", "credential.helper", "!echo password=secret")

    def everything() -> dict[str, bytes]:
        return {str(p): p.read_bytes() for p in project.rglob("*") if p.is_file()}

    before = everything()
    branch.publish()
    online_site.freeze(branch.releases, "2026.11")
    branch.publish()
    assert everything() == before
    assert git("-C", branch.remote, "rev-list", "--count", "gh-pages").strip() == "2"
    written = [p.read_bytes() for p in branch.root.glob("work-*/**/*") if p.is_file()]
    assert written and not any(b"secret" in text for text in written)


def test_somebody_who_published_meanwhile_is_not_overwritten(branch):
    branch.publish()
    target = branch.target()
    change = deployment.plan(branch.site("mine"), target, branch.releases, ADDRESS)
    branch.spoil("theirs.txt", "theirs")
    with pytest.raises(UserError, match="someone else deployed in the meantime"):
        deployment.put(change, target, branch.releases)
    assert branch.content()["theirs.txt"] == b"theirs" and b"mine" not in branch.content()["index.html"]


def test_only_what_is_new_is_fetched_and_a_password_is_not_told(branch):
    git("-C", branch.remote, "config", "uploadpack.allowFilter", "true")
    git("-C", branch.project, "remote", "set-url", "origin", f"file://{branch.remote}")
    branch.publish()
    target = branch.target()
    target.listing()
    work = branch.root / f"work-{branch.count}/deploy.git"
    held = git(f"--git-dir={work}", "cat-file", "--batch-check", "--batch-all-objects")
    assert " tree " in held and " blob " not in held
    branch.publish(branch.site("again"))
    git("-C", branch.project, "remote", "set-url", "origin", "https://me:secret@127.0.0.1:1/x.git")
    with pytest.raises(UserError, match="git says") as caught:
        branch.publish()
    assert "secret" not in str(caught.value) and "127.0.0.1" in str(caught.value)
