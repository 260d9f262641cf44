"""A site with odd files in it, and the server of it."""

import os

import pytest

from serving import DATA, served


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A small site with a secret beside it, and everything in it that is no ordinary file of it."""
    folder = tmp_path_factory.mktemp("site")
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.txt").write_text("secret")
    (outside / "index.html").write_text("secret")
    for name, text in (
        ("index.html", "start"),
        ("404.html", "our own page"),
        ("library/index.html", "library"),
        ("bare/page.html", "page"),
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "data.parquet").write_bytes(DATA)
    (folder / "empty.csv").write_bytes(b"")
    (folder / "large.bin").write_bytes(bytes(32 << 20))
    (folder / "out.txt").symlink_to(outside / "secret.txt")
    (folder / "outside").symlink_to(outside)
    (folder / "linked").mkdir()
    (folder / "linked/index.html").symlink_to(outside / "index.html")
    (folder / "circle").symlink_to("circle")
    (folder / "inside.html").symlink_to("library/index.html")
    os.mkfifo(folder / "pipe.json")
    (folder / "\\elsewhere.example").mkdir()
    return folder


@pytest.fixture
def server(site, tmp_path):
    """The server; whatever was done to it, it still answers and has printed nothing but its address."""
    with served(site, tmp_path / "root") as running:
        yield running
        assert running.ask().body == b"start"
    assert running.said.strip() == "Stopped.", running.said
